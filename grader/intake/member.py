"""What a member of a zip is called."""

import re
import unicodedata
import zipfile

_UTF8 = 0x800
_NOT_WINDOWS = re.compile(rb"[\x80-\xbf\xd7\xf7]|(?<![A-Za-z\x80-\xff])[\xdf-\xff]|(?<=[A-Za-z\x80-\xff])[\xc0-\xde]")
"""What no name has in the letters of Windows (cp1252): no letter, a small one in front, a capital within a word."""


def written_name(info: zipfile.ZipInfo) -> str:
    """The name of a member as people wrote it, with every accent in one sign.

    Programs write UTF-8 without saying so (macOS), or what Windows speaks: its own letters, or those of its console.
    """
    if info.flag_bits & _UTF8 or info.filename.isascii():
        return unicodedata.normalize("NFC", info.filename)
    raw = info.filename.encode("cp437")  # as zipfile has read it, for want of anything better
    try:
        return unicodedata.normalize("NFC", raw.decode())
    except UnicodeDecodeError:
        return raw.decode("cp850" if _NOT_WINDOWS.search(raw) else "cp1252", "replace")
