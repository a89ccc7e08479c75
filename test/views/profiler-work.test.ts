import { describe, expect, it } from "vitest";
import { CATEGORIES, categories } from "../../src/views/breakdown.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** The category of a stack's tick. */
function categoryOf(stack: string): string {
  const [index] = categories(profileFromStacks(stack));
  return CATEGORIES[index!]!.category;
}

describe("the profiler's own work", () => {
  it.each([
    "js:f cpp:v8::internal::V8FileLogger::EnsureLogScriptSource(v8::internal::Script)",
    "js:f cpp:v8::internal::Logger::CodeMoveEvent(unsigned·char*,·unsigned·char*)",
    "js:f cpp:v8::internal::Log::MessageBuilder::WriteToLogFile()",
    "js:f cpp:v8::internal::LogFile::MessageBuilder&·v8::internal::LogFile::MessageBuilder::operator<<·<void*>(void*)",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) cpp:v8::internal::LogFile::MessageBuilder::AppendCharacter(char)",
    "js:f cpp:v8::internal::LogFile::WriteLogHeader() libc:memcpy",
    "gc:cpp:v8::internal::Logger::CodeMoveEvent(unsigned·char*)",
    "bytecode-compiler:js:f cpp:v8::internal::V8FileLogger::FeedbackVectorEvent(int)",
  ])("is a writer of the log, on the stack since the last JavaScript: %s", (stack) => {
    expect(categoryOf(stack)).toBe("profiler");
  });

  it.each([
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:_IO_fwrite@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:__write@@GLIBC_2.2.5",
    "builtin:B cpp:v8::internal::Runtime_CompileOptimized(int) libc:_IO_file_xsputn@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:std::ostream::sentry::sentry(std::ostream&)@@GLIBCXX_3.4",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) cpp:v8::internal::OFStreamBase::xsputn(char·const*,·long)",
    "bytecode-compiler:js:f libc:fwrite",
    "gc:libc:__GI___libc_write",
  ])("is a file or stream that V8 itself writes: %s", (stack) => {
    expect(categoryOf(stack)).toBe("profiler");
  });

  it.each([
    "js:f cpp:node::fs::WriteString(v8::FunctionCallbackInfo<v8::Value>·const&) libc:__write@@GLIBC_2.2.5",
    "js:f libc:__write@@GLIBC_2.2.5",
    "external:js:f cpp:v8::internal::Builtin_HandleApiCall(int) libc:__write@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Builtin_DatePrototypeToUTCString(int) libc:__vfprintf_internal",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:memcpy",
    "js:f cpp:v8::internal::CodeEventDispatcher::AddListener(v8::internal::Logger::Listener*)",
    "js:f cpp:v8::internal::LoggerFactory::make()",
    "cpp:v8::internal::LogFile::Close() js:f cpp:node::Work()",
  ])("is not what others write, print to memory or do with a log: %s", (stack) => {
    expect(categoryOf(stack)).toBe("native");
  });

  it("is no JavaScript that it called", () => {
    expect(categoryOf("cpp:v8::internal::LogFile::Close() js:f")).toBe("js");
  });
});
