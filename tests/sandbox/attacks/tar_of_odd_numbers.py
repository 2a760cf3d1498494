# kind: archive
# expected: refused|fail|exc
# safe-outcome: sizes, times and owners that are no numbers are refused or passed over
# stopped-by: own reader; only regular files of the size they say
import io
import os
import tarfile

WORK = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"


def build(folder, hints):
    path = os.path.join(folder, f"work{hints['variant']}.tar")
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in ("hw.py", "b.py"):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uid = len(WORK), 1e300 if hints["variant"] == 0 else -1, 2**40
            member.pax_headers = {"size": "-1"} if hints["variant"] == 1 else {"comment": "\x1b[2J" * 1000}
            archive.addfile(member, io.BytesIO(WORK))
    data = bytearray(made.getvalue())
    if hints["variant"] == 2:
        data[124:136] = b"\x80" + b"\xff" * 11
    elif hints["variant"] == 3:
        data[124:136] = b"-0000000001\x00"
    elif hints["variant"] == 4:
        data[148:156] = b"99999999"
    elif hints["variant"] == 5:
        data = data[:700] + data
    with open(path, "wb") as file:
        file.write(data)
    return path
