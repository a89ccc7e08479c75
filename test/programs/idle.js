// A process that mostly waits: timers, an interval, now and then a little work.
"use strict";
let t = 0;
function work() {
  for (let i = 0; i < 2e6; i++) t = (t + i) % 65537;
}
const interval = setInterval(work, 50);
setTimeout(function stop() {
  clearInterval(interval);
  console.log(t > 0);
}, 1500);
