import type { Plugin } from "rolldown";

export function directImports(): Plugin;
export function withDirectImports(code: string): {
  readonly code: string;
  readonly exports: readonly string[];
  readonly fault: string | undefined;
};
export function circleIn(
  bundle: Readonly<Record<string, { readonly imports?: readonly string[] }>>,
): string[] | undefined;
