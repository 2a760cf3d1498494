# expected: crash
# standard: open
# safe-outcome: the entry for 32-bit programs ends the process
# stopped-by: seccomp: another architecture is killed
import ctypes
import mmap


def softmax(x):
    code = bytes.fromhex("53b814000000cd805bc3")  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return x * 0
