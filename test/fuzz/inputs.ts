import fc from 'fast-check';

/** Text and numbers that parsers of all kinds have met before, to their harm. */
const ODD = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  '-0',
  '9007199254740993',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\u0000',
  '\uFEFF',
  '\uFFFF',
  '\u2028',
  '🌍',
  '\r',
  '\n\n',
  '\r\n\r\n',
  '{{',
  '}}',
  '[[',
  ']]',
  '<',
  '&#x1F600;',
  '__proto__',
  'constructor',
  '../',
  '%',
  '%00',
  '--',
  '\t',
  '* * * * *',
  'data: ',
  'event: ',
  ':',
];
const odd = fc.constantFrom(...ODD).map((text) => Buffer.from(text));

/** A change to bytes, at a place between 0 and 1. */
type Edit = (bytes: Buffer) => Buffer;

const at = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.oneof({ arbitrary: fc.nat({ max: 8 }), weight: 4 }, { arbitrary: fc.nat({ max: 2_000 }), weight: 1 });

const replaced = fc
  .tuple(at, length, fc.oneof(odd, fc.uint8Array({ maxLength: 8 })))
  .map(([where, count, by]): Edit => (bytes) => {
    const start = Math.floor(where * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(start + count)]);
  });
const flipped = fc.tuple(at, fc.nat({ max: 7 })).map(([where, bit]): Edit => (bytes) => {
  const copy = Buffer.from(bytes);
  const index = Math.min(Math.floor(where * bytes.length), bytes.length - 1);
  if (index >= 0) copy[index] = (copy[index] ?? 0) ^ (1 << bit);
  return copy;
});
const repeated = fc.tuple(at, length, fc.nat({ max: 300 })).map(([where, count, times]): Edit => (bytes) => {
  const start = Math.floor(where * bytes.length);
  const chunk = bytes.subarray(start, start + Math.max(count, 1));
  const copies = Array.from({ length: times }, () => chunk);
  return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(start)]);
});
const edits = fc.array(fc.oneof({ arbitrary: replaced, weight: 3 }, { arbitrary: flipped, weight: 2 }, repeated), {
  maxLength: 6,
});

/** Returns bytes that are nearly one of the samples: most parsers read far into them. */
export function nearly(...samples: readonly (string | Buffer)[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom<Buffer[]>(...samples.map((sample) => Buffer.from(sample))), edits)
    .map(([sample, changes]) => changes.reduce<Buffer>((bytes, change) => change(bytes), sample));
}

/** Returns bytes in the chunks in which a network might bring them. */
export function inChunks(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<readonly Buffer[]> {
  return fc.tuple(bytes, fc.array(at, { maxLength: 5 })).map(([whole, cuts]) => {
    const ends = [...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length].toSorted((a, b) => a - b);
    return ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
  });
}

/** Returns JSON values that are nearly the sample: leaves and branches are replaced by whatever may stand there. */
export function nearlyJson(sample: unknown): fc.Arbitrary<unknown> {
  const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown[]>(...ODD, -1, 1e300, null, [[]]));
  const node = (value: unknown): fc.Arbitrary<unknown> => {
    const kept = Array.isArray(value)
      ? fc.tuple(...value.map(node)).chain((items) => fc.subarray([...items, ...items.slice(0, 1)]))
      : typeof value === 'object' && value !== null
        ? fc.record(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, node(each)])), {
            requiredKeys: [],
          })
        : fc.constant(value);
    return fc.oneof({ arbitrary: kept, weight: 12 }, { arbitrary: fc.constant(value), weight: 6 }, other);
  };
  return node(sample);
}
