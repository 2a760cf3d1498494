# expected: fail
# standard: open
# safe-outcome: nothing is made that outlives the process: segments, semaphores, queues, named memory
# stopped-by: seccomp; ipc namespace; nowhere to write
import ctypes
import multiprocessing
from multiprocessing import shared_memory


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, call in {
        "shmget": (29, 0x5EC0DE, 4096, 0o1666), "private shmget": (29, 0, 4096, 0o1666), "semget": (64, 0x5EC0DE, 1, 0o1666),
        "msgget": (68, 0x5EC0DE, 0o1666), "mq_open": (240, b"left", 0o102, 0o666, 0), "mq_unlink": (241, b"left"),
        "shmat": (30, 0, 0, 0), "semtimedop": (220, 0, 0, 1, 0), "msgsnd": (69, 0, 0, 0, 0), "memfd": (319, b"left", 0),
        "memfd_secret": (447, 0), "shmctl": (31, 0, 2, 0), "semctl": (66, 0, 0, 2, 0), "msgctl": (71, 0, 2, 0),
    }.items():
        done = libc.syscall(*call)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error == 1 else f"LEAK: {name} {done} {error}")
    for name, attempt in {
        "named memory": lambda: shared_memory.SharedMemory("left-behind", create=True, size=64),
        "lock": multiprocessing.Lock,
        "semaphore": lambda: multiprocessing.Semaphore(2),
        "queue": multiprocessing.Queue,
        "value": lambda: multiprocessing.Value("i", 1),
        "array": lambda: multiprocessing.Array("i", 4),
        "manager": multiprocessing.Manager,
    }.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except (OSError, ImportError) as error:
            lines.append(f"BLOCKED: {name} {type(error).__name__}")
    return lines
