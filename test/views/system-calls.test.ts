import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { systemCallTicks } from "../../src/views/system-calls.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** The system calls of a profile whose native functions are in another library. */
function inLibrary(library: string, ...stacks: readonly string[]) {
  const profile: Profile = profileFromStacks(...stacks);
  const frames = profile.frames.map((frame) => (frame.kind === "native" ? { ...frame, library } : frame));
  return systemCallTicks({ ...profile, frames });
}

describe("systemCallTicks", () => {
  it("knows calls under all their names in C libraries", () => {
    const names = [
      "__GI___lll_lock_wake",
      "pthread_cond_signal@@GLIBC_2.3.2",
      "getdents64@@GLIBC_2.30",
      "__open64_nocancel",
      "__libc_write",
      "epoll_pwait@@GLIBC_2.6",
      "syscall@@GLIBC_2.2.5",
      "brk",
    ];
    for (const name of names)
      expect(systemCallTicks(profileFromStacks(`js:a libc:${name}`))?.ticks, name).toBe(1);
  });

  it("counts leaves only, and names the call with most of them", () => {
    const profile = profileFromStacks(
      "js:a libc:read",
      "js:a libc:__read",
      "js:a libc:write",
      "js:a libc:write",
      "js:a libc:write",
      "js:a libc:read js:b",
      "js:read",
      "js:a libc:memcpy",
    );
    expect(systemCallTicks(profile)).toEqual({ ticks: 5, percent: 62.5, most: "write" });
  });

  it("takes no other function for one", () => {
    for (const name of [
      "v8::internal::read(int)",
      "_int_malloc",
      "reader",
      "thread",
      "uv__read",
      "NtFoo",
      "64",
    ]) {
      expect(systemCallTicks(profileFromStacks(`js:a libc:${name}`)), name).toBeUndefined();
    }
  });

  it("knows the kernel's own code, and the calls of macOS and Windows", () => {
    expect(systemCallTicks(profileFromStacks("js:a lib:[vdso]"))).toMatchObject({ ticks: 1, most: "[vdso]" });
    expect(inLibrary("/usr/lib/system/libsystem_kernel.dylib", "js:a libc:kevent64_id")?.ticks).toBe(1);
    expect(
      inLibrary("C:\\Windows\\System32\\ntdll.dll", "libc:NtReadFile", "libc:RtlAllocateHeap")?.ticks,
    ).toBe(1);
  });
});
