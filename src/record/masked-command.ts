/** Stands for a secret. */
export const MASK = "***";

/** Words that make a name that of a secret, wherever they stand in it: `API_TOKEN`, `--client-secret`, `dbPassword`. */
const SECRET = new Set([
  ...[
    "token",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
  ],
  ...["apikey", "authorization", "bearer", "cookie", "jwt"],
]);
/** Words that do so only at the end: `--ssl-key`, but not `--key-size`. */
const SECRET_AT_END = new Set([
  "key",
  "auth",
  "pass",
  "pw",
  "pwd",
  "pat",
  "sid",
  "pin",
  "signature",
  "sig",
  "dsn",
]);
/** The end of names that are squashed into one word: `PGPASSWORD`, `accesstoken`. */
const SQUASHED = /(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey)$/;
/** What a name with such an end holds is about a secret, not one. */
const ABOUT = /^(?:file|path|dir|url|uri|name|type|length|size|ttl|count|id|limit|expiry|header|stdin)$/;
/** Variables of every shell. */
const NO_SECRETS = new Set(["PWD", "OLDPWD"]);

/** Tokens that are known by their form. */
const KNOWN = /^(?:gh[pousr]_|github_pat_|glpat-|npm_|sk-|xox[abprs]-|AKIA|eyJ)[\w.-]{16,}$/;
/** Words of a text. */
const WORD = /[\w.-]+/g;
/** A user in a URL, with a password or, for the web, a token; a long word can be cut within it. */
const IN_URL = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)([^\s/?#"'@:]*)(?::([^\s/?#"']*))?(@|…$)/gi;
/** A name before a value, in code, in JSON, in a query or a header, and such a value. */
const BEFORE_VALUE = /(?<![\w.-])([\w.-]+)["']?\s{0,3}[=:]\s{0,3}["']?/g;
const VALUE = /[^\s"',;&}]+/y;
/** A header whose value has blanks. */
const HEADER = /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,3}:\s{0,3}["']?)[^"'\n]+/gi;
/** An option with a value in the next word of a longer text. */
const OPTION = /(^|[\s"'])(--?[A-Za-z][\w.-]{0,100})(\s{1,3}["']?)([^\s"'-][^\s"']*)/g;

/** Returns the words of a command line without secrets: values of options, variables and headers of such names, and passwords of URLs. */
export function maskSecrets(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const before = words[i - 1] ?? "";
    if (isOption(before) && isSecret(before) && !/^--|^-\w$/.test(word)) return MASK;
    if (/^(?:-u|--user|--proxy-user)$/.test(before)) return word.replace(/:.+/s, `:${MASK}`);
    if (/^-u[^:\s]+:./.test(word)) return word.replace(/:.+/s, `:${MASK}`);
    const [, name] = /^(-{0,2}[A-Za-z_][\w.-]*)=/.exec(word) ?? [];
    if (name !== undefined && isSecret(name)) return `${name}=${MASK}`;
    return maskText(word);
  });
}

function isOption(word: string): boolean {
  return /^--?[A-Za-z][\w.-]*$/.test(word);
}

function maskText(text: string): string {
  const masked = text
    .replace(IN_URL, (whole, scheme: string, user: string, password: string | undefined, end: string) => {
      if (password !== undefined) return `${scheme}${user}:${MASK}${end}`;
      return end === "@" && /^https?:/i.test(scheme) ? `${scheme}${MASK}@` : whole;
    })
    .replace(HEADER, (_, name: string, between: string) => `${name}${between}${MASK}`)
    .replace(OPTION, (whole, start: string, name: string, between: string) =>
      isSecret(name) ? `${start}${name}${between}${MASK}` : whole,
    )
    .replace(WORD, (word) => (KNOWN.test(word) ? MASK : word));
  return maskValues(masked);
}

function maskValues(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: found, 1: name = "", index } of text.matchAll(BEFORE_VALUE)) {
    if (index < done || !isSecret(name)) continue;
    VALUE.lastIndex = index + found.length;
    if (!VALUE.test(text)) continue;
    parts.push(text.slice(done, index + found.length), MASK);
    done = VALUE.lastIndex;
  }
  return parts.join("") + text.slice(done);
}

/** Whether a variable or an option of this name holds a secret. */
function isSecret(name: string): boolean {
  if (NO_SECRETS.has(name)) return false;
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  if (ABOUT.test(last)) return false;
  return parts.some((part) => SECRET.has(part)) || SECRET_AT_END.has(last) || SQUASHED.test(last);
}
