/** Publicly available programs and libraries, by file name. */
const PUBLIC: readonly RegExp[] = [
  /^(?:node|nodejs|iojs|deno|d8|electron|chrome|chromium|nw)(?:\.exe)?$/,
  /^lib(?:node|v8|v8_libbase|v8_libplatform|uv|cares|nghttp2|nghttp3|ngtcp2|ada|simdjson|simdutf|sqlite3|llhttp)\.so[\d.]*$/,
  /^lib(?:c|m|dl|pthread|rt|util|resolv|crypt|nsl|anl|mvec|thread_db|gcc_s|stdc\+\+|c\+\+|c\+\+abi|atomic|gomp|unwind)(?:-\d[\d.]*)?\.so[\d.]*$/,
  /^lib(?:z|zstd|lzma|bz2|ssl|crypto|icuuc|icui18n|icudata|brotlicommon|brotlidec|brotlienc|jemalloc|tcmalloc|asan)\.so[\d.]*$/,
  /^libnss_(?:files|dns|compat|systemd|myhostname|resolve)(?:-\d[\d.]*)?\.so[\d.]*$/,
  /^ld-(?:linux(?:-(?:x86-64|x32|aarch64|armhf|riscv64|loongarch|cris))?|\d[\d.]*|musl-(?:x86_64|aarch64|armhf|i386|riscv64|s390x))\.so[\d.]*$/,
  /^linux-(?:gate|vdso)\.so[\d.]*$/,
  /^dyld$/,
  /^(?:ntdll|kernel32|kernelbase|user32|gdi32|gdi32full|win32u|advapi32|sechost|rpcrt4|ws2_32|mswsock|winmm|bcrypt|bcryptprimitives|crypt32|cryptbase|iphlpapi|psapi|userenv|dbghelp|shell32|ole32|combase|ucrtbase|msvcrt|msvcp_win|msvcp140|vcruntime140|vcruntime140_1|powrprof|dnsapi|nsi|imm32)\.dll$/,
];

/** Paths of macOS itself, where nobody else can write. */
const APPLE = /^(?:\/System\/Library\/|\/usr\/lib\/(?:system\/)?[\w.+-]+\.dylib$)/;

/** System folders: that a library is there reveals nothing. */
const SYSTEM_FOLDERS: readonly RegExp[] = [
  /^(?:\/usr)?\/lib(?:32|64|x32)?(?:\/(?:x86_64|aarch64|arm|i386|riscv64|s390x|powerpc64le)-linux-(?:gnu|musl)(?:eabihf|eabi)?)?$/,
  /^\/usr(?:\/local)?\/(?:bin|lib|lib64)$/,
  /^[A-Z]:\\Windows\\(?:System32|SysWOW64)$/i,
];

/** Mappings that are not files: the kernel's, and anonymous ones, which old versions name by their range. */
export const NO_FILE = /^(?:\[(?:vdso|vsyscall|vvar|heap|stack)\]|[0-9a-f]{1,16}-[0-9a-f]{1,16})$/;

/** Returns whether a library is public, by its file name: its functions may then be shown. */
export function isPublicLibrary(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const folded = name.endsWith(".dll") || name.includes(".DLL") ? name.toLowerCase() : name;
  return NO_FILE.test(path) || APPLE.test(path) || PUBLIC.some((pattern) => pattern.test(folded));
}

/** Returns whether a whole path is public. */
export function isPublicPath(path: string): boolean {
  return APPLE.test(path);
}

/** Returns whether a folder is a standard folder of its system. */
export function isSystemFolder(folder: string): boolean {
  return SYSTEM_FOLDERS.some((pattern) => pattern.test(folder));
}
