export default async function ({ first, second, ignore_case: ignoresCase }) {
  const keyOf = (entry) => (ignoresCase ? entry.trim().toLowerCase() : entry);
  const byKey = (list) => new Map(list.map((entry) => [keyOf(entry), entry]));
  const repeatedIn = (list) => {
    const seen = new Set();
    return [...new Set(list.filter((entry) => seen.has(keyOf(entry)) || !seen.add(keyOf(entry))))];
  };
  const [a, b] = [byKey(first), byKey(second)];
  return {
    both: [...a].filter(([key]) => b.has(key)).map(([, entry]) => entry),
    onlyFirst: [...a].filter(([key]) => !b.has(key)).map(([, entry]) => entry),
    onlySecond: [...b].filter(([key]) => !a.has(key)).map(([, entry]) => entry),
    repeatedInFirst: repeatedIn(first),
    repeatedInSecond: repeatedIn(second),
  };
}
