// Errors: thrown and caught, stack traces captured, formatted and rewritten, finally, nested causes.
"use strict";
function Custom(message) {
  this.message = message;
  Error.captureStackTrace(this, Custom);
}
function fail(n) {
  if (n > 0) return fail(n - 1);
  throw new TypeError("deep");
}
function caught() {
  try {
    fail(20);
  } catch (error) {
    return error.stack.length;
  } finally {
    Custom.count = (Custom.count || 0) + 1;
  }
}
function sites() {
  const old = Error.prepareStackTrace;
  Error.prepareStackTrace = function prepare(_error, list) {
    return list.map(function site(s) {
      return s.getFunctionName() + ":" + s.getLineNumber();
    });
  };
  const stack = new Error("sites").stack;
  Error.prepareStackTrace = old;
  return stack.length;
}
const end = Date.now() + 1200;
let sum = 0;
while (Date.now() < end) {
  for (let i = 0; i < 50; i++) sum += caught() + sites() + new Custom("x").stack.length;
  try {
    null.x;
  } catch (error) {
    sum += String(error).length;
  }
  try {
    JSON.parse("{ broken");
  } catch (error) {
    sum += error.message.length;
  }
}
console.log(sum > 0);
