/**
 * The words of JavaScript, and the names of its standard objects, of their properties and of a few of Node's. In a program's
 * text, they tell what it does, and nothing of its own names.
 *
 * Source: ECMA-262, ECMA-402; Node 26.
 */
export const SOURCE_WORDS: ReadonlySet<string> = new Set(
  `
  AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer Collator DataView
  Date DateTimeFormat DisplayNames DurationFormat E EPSILON Error EvalError FinalizationRegistry Float32Array
  Float64Array Function Infinity Int16Array Int32Array Int8Array Intl JSON LN10 LN2 LOG10E LOG2E ListFormat
  Locale Map Math NaN Number NumberFormat Object PI PluralRules Promise Proxy RangeError ReferenceError Reflect
  RegExp RelativeTimeFormat SQRT1_2 SQRT2 Segmenter Set SharedArrayBuffer String Symbol SyntaxError TypeError
  URIError UTC Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet abs abstract acos
  acosh add all allSettled anchor and any apply arguments as asIntN asUintN asin asinh assign async asyncDispose
  asyncIterator at atan atan2 atanh await big bind blink bold break buffer byteLength byteOffset call caller
  captureStackTrace case catch cbrt ceil charAt charCodeAt class clear clearInterval clearTimeout clz32
  codePointAt compareExchange compile concat console const construct constructor continue copyWithin cos cosh
  create debugger decodeURIComponent default defineProperties defineProperty delete deleteProperty deref
  description detached difference dispose do dotAll drop else encodeURIComponent endsWith entries enum escape
  eval every exchange exec exp expm1 export exports extends f16round false fill filter finally find findIndex
  findLast findLastIndex fixed flags flat flatMap floor fontcolor fontsize for forEach freeze from fromAsync
  fromBase64 fromCharCode fromCodePoint fromEntries fromHex fround function get getBigInt64 getBigUint64
  getCanonicalLocales getDate getDay getFloat16 getFloat32 getFloat64 getFullYear getHours getInt16 getInt32
  getInt8 getMilliseconds getMinutes getMonth getOrInsert getOrInsertComputed getOwnPropertyDescriptor
  getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf getSeconds getTime
  getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth
  getUTCSeconds getUint16 getUint32 getUint8 getYear global globalThis groupBy grow growable has hasIndices
  hasInstance hasOwn hasOwnProperty hrtime hypot if ignoreCase implements import imul in includes indexOf input
  instanceof interface intersection is isArray isConcatSpreadable isDisjointFrom isError isExtensible isFinite
  isFrozen isInteger isLockFree isNaN isPrototypeOf isRawJSON isSafeInteger isSealed isSubsetOf isSupersetOf
  isView isWellFormed italics iterator join keyFor keys lastIndexOf lastMatch lastParen leftContext length let
  link load localeCompare log log10 log1p log2 map match matchAll max maxByteLength message meta min module
  multiline name new next nextTick normalize notify now null of or ownKeys package padEnd padStart parse
  parseFloat parseInt pause performance pop pow prepareStackTrace preventExtensions primordials private process
  propertyIsEnumerable protected prototype public push queueMicrotask race random raw rawJSON reduce reduceRight
  register reject repeat replace replaceAll require resizable resize resolve return reverse revocable
  rightContext round seal search set setBigInt64 setBigUint64 setDate setFloat16 setFloat32 setFloat64
  setFromBase64 setFromHex setFullYear setHours setImmediate setInt16 setInt32 setInt8 setInterval
  setMilliseconds setMinutes setMonth setPrototypeOf setSeconds setTime setTimeout setUTCDate setUTCFullYear
  setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds setUint16 setUint32 setUint8 setYear
  shift sign sin sinh size slice small some sort source species splice split sqrt stackTraceLimit startsWith
  static sticky store strike stringify sub subarray substr substring sup super supportedValuesOf switch
  symmetricDifference take tan tanh target test then this throw toArray toBase64 toDateString toExponential
  toFixed toGMTString toHex toISOString toJSON toLocaleDateString toLocaleLowerCase toLocaleString
  toLocaleTimeString toLocaleUpperCase toLowerCase toPrecision toPrimitive toReversed toSorted toSpliced
  toString toStringTag toTemporalInstant toTimeString toUTCString toUpperCase toWellFormed transfer
  transferToFixedLength trim trimEnd trimLeft trimRight trimStart true trunc try typeof undefined unicode
  unicodeSets union unregister unscopables unshift using valueOf values var void wait waitAsync while with
  withResolvers xor yield
`
    .trim()
    .split(/\s+/),
);
