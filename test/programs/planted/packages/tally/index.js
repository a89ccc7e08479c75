// Counts words.
exports.words = (count) => Array.from({ length: count }, (_, i) => `word${(i * 7919) % 1009}`);

exports.tally = (list) => {
  const counts = new Map();
  for (const word of list) {
    const key = word.slice(0, 5);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
