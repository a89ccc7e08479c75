import { expect, it } from "vitest";
import { shortSymbol } from "../../src/reports/names.ts";

it("native names are shown without what makes them long", () => {
  const names: Record<string, string> = {
    main: "main",
    "syscall@@GLIBC_2.2.5": "syscall",
    "malloc@GLIBC_2.2.5": "malloc",
    "node::crypto::Run(int, v8::Local<v8::Value>)": "node::crypto::Run",
    "void v8::internal::Scan<(v8::internal::Mode)1>::Visit(int) const": "v8::internal::Scan<…>::Visit",
    "std::vector<int, std::allocator<int> >::push_back(int&&)": "std::vector<…>::push_back",
    "bool v8::internal::(anonymous namespace)::Go<int>(int)": "v8::internal::(anonymous)::Go<…>",
    "operator new(unsigned long)": "operator new",
    "bool std::operator<(A const&, B const&)": "std::operator<",
    "A& A::operator<< <int>(int)": "A::operator<< <int>",
    "f(int) [clone .cold]": "f",
    "f(void (*)(int))": "f",
    "(anonymous namespace)::f()": "(anonymous)::f",
    "std::map<int>::~map": "std::map<int>::~map",
    "<alloc::vec::Vec<T> as core::Drop>::drop": "<alloc::vec::Vec<T> as core::Drop>::drop",
    "()": "()",
    "f(": "f(",
    "": "",
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, shortSymbol(name)]))).toEqual(names);
});
