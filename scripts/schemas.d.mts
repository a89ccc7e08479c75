export function schemaNames(): string[];
export function bundledSchema(name: string): Record<string, unknown>;
