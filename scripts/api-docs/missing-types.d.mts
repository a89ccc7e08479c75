export function missingTypes(entry: string): { exported: string[]; missing: string[] };
