// Splits a CSV text into rows; quoted fields may hold separators, quotes and line ends.
function parse(text, separator) {
  const rows = [];
  let row = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && field === '') quoted = true;
    else if (character === separator) {
      row.push(field);
      field = '';
    } else if (character === '\n') {
      row.push(field.replace(/\r$/, ''));
      rows.push(row);
      row = [];
      field = '';
    } else field += character;
  }
  if (field !== '' || row.length > 0) rows.push([...row, field]);
  return rows.filter((each) => each.length > 1 || each[0] !== '');
}

function likelySeparator(line) {
  const counts = [',', ';', '\t', '|'].map((each) => [each, line.split(each).length]);
  return counts.sort((a, b) => b[1] - a[1])[0][0];
}

function typeOf(values) {
  const all = (pattern) => values.every((value) => pattern.test(value));
  if (values.length === 0) return 'empty';
  if (all(/^-?\d+$/)) return 'integer';
  if (all(/^-?\d+([.,]\d+)?$/)) return 'number';
  if (all(/^\d{4}-\d\d-\d\d([T ].*)?$/)) return 'date';
  if (all(/^(true|false|yes|no|0|1)$/i)) return 'boolean';
  return 'text';
}

function profile(name, values) {
  const filled = values.filter((value) => value.trim() !== '');
  const counts = new Map();
  for (const value of filled) counts.set(value, (counts.get(value) ?? 0) + 1);
  const type = typeOf(filled);
  const sorted =
    type === 'integer' || type === 'number'
      ? filled.map((value) => Number(value.replace(',', '.'))).sort((a, b) => a - b)
      : [...filled].sort();
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 5);
  return {
    name,
    type,
    gaps: values.length - filled.length,
    distinct: counts.size,
    least: sorted[0] ?? null,
    median: sorted[Math.floor(sorted.length / 2)] ?? null,
    most: sorted[sorted.length - 1] ?? null,
    frequent: frequent.map(([value, count]) => ({ value: value.slice(0, 80), count })),
  };
}

export default async function ({ text, separator }) {
  const rows = parse(text, separator ?? likelySeparator(text.split('\n', 1)[0]));
  const [headings = [], ...data] = rows;
  const seen = new Map();
  const repeated = [];
  data.forEach((row, index) => {
    const key = JSON.stringify(row);
    if (seen.has(key)) repeated.push({ row: index + 2, sameAs: seen.get(key) });
    else seen.set(key, index + 2);
  });
  const broken = data.flatMap((row, index) =>
    row.length === headings.length ? [] : [{ row: index + 2, fields: row.length }],
  );
  return {
    rows: data.length,
    columns: headings.map((name, at) =>
      profile(
        name,
        data.map((row) => row[at] ?? ''),
      ),
    ),
    broken: { count: broken.length, first: broken.slice(0, 20) },
    repeated: { count: repeated.length, first: repeated.slice(0, 20) },
  };
}
