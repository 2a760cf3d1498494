# expected: fail
# standard: open
# safe-outcome: no call by its number reads, renames, marks, watches or removes a file that lies outside
# stopped-by: seccomp
import ctypes
import os


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    path, other = HINTS["rubric"].encode(), os.path.join(HINTS["drop_dir"], "made").encode()
    room, here = ctypes.create_string_buffer(4096), -100
    calls = {
        "creat": (85, other, 0o666), "truncate": (76, path, 0), "rename": (82, path, other), "renameat2": (316, here, path, here, other, 0),
        "unlink": (87, path), "unlinkat": (263, here, path, 0), "rmdir": (84, path), "mkdirat": (258, here, other, 0o777),
        "link": (86, path, other), "linkat": (265, here, path, here, other, 0), "symlinkat": (266, path, here, other),
        "mknodat": (259, here, other, 0o100666, 0), "chmod": (90, path, 0o777), "fchmodat": (268, here, path, 0o777), "fchmodat2": (452, here, path, 0o777, 0),
        "chown": (92, path, 0, 0), "fchownat": (260, here, path, 0, 0, 0), "utimensat": (280, here, path, 0, 0), "setxattr": (188, path, b"user.x", room, 1, 0),
        "getxattr": (191, path, b"user.x", room, 9), "listxattr": (194, path, room, 99), "removexattr": (197, path, b"user.x"), "statfs": (137, path, room),
        "inotify_add_watch": (254, 3, path, 0xFFF), "fanotify_mark": (301, 3, 1, 1, here, path), "name_to_handle_at": (303, here, path, room, room, 0),
        "openat2": (437, here, path, room, 24), "open_tree": (428, here, path, 0), "execve": (59, path, 0, 0), "execveat": (322, here, path, 0, 0, 0),
        "chroot": (161, b"/tmp"), "mount": (165, b"none", b"/tmp", b"tmpfs", 0, 0), "umount2": (166, b"/", 2), "acct": (163, other),
        "sync": (162,), "syncfs": (306, 3), "readahead": (187, 3, 0, 9), "sendfile": (40, 3, 0, 0, 9), "swapoff": (168, path), "quotactl": (179, 0, path, 0, 0),
        "fsopen": (430, b"tmpfs", 0), "move_mount": (429, here, path, here, other, 0), "mount_setattr": (442, here, path, 0, room, 32), "lookup_dcookie": (212, 1, room, 99),
    }
    lines = []
    for name, call in calls.items():
        done = libc.syscall(*call)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error in (1, 38) else f"LEAK: {name} {done} {error}")
    return lines
