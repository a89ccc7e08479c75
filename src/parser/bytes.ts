/** Bytes that have a meaning in a log. */
export const PARENTHESIS = 40;
export const COMMA = 44;
export const QUOTE = 34;
export const ZERO = 48;
export const NINE = 57;
export const PLUS = 43;
export const MINUS = 45;
export const BACKSLASH = 92;
export const LOWER_F = 102;
export const LOWER_N = 110;
export const LOWER_O = 111;
export const LOWER_T = 116;
export const LOWER_U = 117;
export const LOWER_X = 120;
export const NEWLINE = 10;
export const CARRIAGE_RETURN = 13;
