import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";

/** Functions of C libraries that do little but call the kernel, without prefixes, suffixes and versions. */
const CALLS: ReadonlySet<string> = new Set(
  [
    "read write pread pwrite readv writev preadv pwritev open openat creat close lseek ioctl fcntl getdents",
    "stat fstat lstat fstatat newfstatat statx access faccessat readlink mkdir rmdir unlink unlinkat rename renameat",
    "fsync fdatasync ftruncate sendfile copy_file_range getcwd chdir dup dup2 dup3 pipe pipe2 eventfd",
    "mmap munmap mremap mprotect madvise brk sbrk mlock",
    "futex lll_lock_wait lll_lock_wait_private lll_lock_wake lll_lock_wake_private sem_post sem_wait sem_timedwait",
    "pthread_cond_signal pthread_cond_broadcast pthread_cond_wait pthread_cond_timedwait pthread_kill",
    "poll ppoll select pselect epoll_wait epoll_pwait epoll_ctl io_uring_enter nanosleep clock_nanosleep usleep",
    "accept accept4 connect socket bind listen shutdown send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg",
    "getsockopt setsockopt clone clone3 fork vfork execve wait4 waitpid kill tgkill raise sched_yield",
    "getrandom getrusage sysinfo uname sigaction sigprocmask pthread_sigmask prctl syscall kevent",
  ].flatMap((line) => line.split(" ")),
);

/** What C libraries put before and behind the name of a call, in this order. */
const BEFORE = ["GI_", "libc_"];
const BEHIND = ["_nocancel", "_time64", "64"];
/** The native calls of Windows. */
const WINDOWS_CALL = /^(?:Nt|Zw)[A-Z]/;

export interface SystemCallTicks {
  readonly ticks: Ticks;
  /** Of all ticks. */
  readonly percent: number;
  /** The name of the call with most of them. */
  readonly most: string;
}

/** Returns the ticks whose leaf is a system call, or the kernel's code in the process; undefined without any. */
export function systemCallTicks(profile: Profile): SystemCallTicks | undefined {
  const { frames, leaves } = Analysis.of(profile);
  const names = frames.map(callOf);
  const byName = new Map<string, Ticks>();
  let [all, ticks] = [0, 0];
  for (let number = 0; number < names.length; number++) {
    const name = names[number]!;
    const own = leaves.all[number]!;
    all += own;
    if (name === undefined || own === 0) continue;
    ticks += own;
    addTo(byName, name, own);
  }
  if (ticks === 0) return undefined;
  const [[most] = [""]] = Array.from(byName).sort(([a, ofA], [b, ofB]) => ofB - ofA || compareTexts(a, b));
  return { ticks, percent: (ticks * 100) / all, most };
}

/** Returns the system call that a frame is; undefined for other code. */
function callOf(frame: Frame): string | undefined {
  if (frame.kind !== "native") return undefined;
  const { library, symbol } = frame;
  if (symbol === undefined) return library.startsWith("[") ? library : undefined;
  if (library.endsWith("/libsystem_kernel.dylib") || library.startsWith("[")) return symbol;
  if (WINDOWS_CALL.test(symbol) && /[\\/]ntdll\.dll$/i.test(library)) return symbol;
  const name = plainName(symbol);
  return CALLS.has(name) ? name : undefined;
}

/** Returns `open` for `__GI___open64_nocancel@@GLIBC_2.2.5`. */
function plainName(symbol: string): string {
  let name = symbol.split("@", 1)[0]!.replace(/^_+/, "");
  for (const prefix of BEFORE)
    if (name.startsWith(prefix)) name = name.slice(prefix.length).replace(/^_+/, "");
  for (const suffix of BEHIND) if (name.endsWith(suffix)) name = name.slice(0, -suffix.length);
  return name;
}
