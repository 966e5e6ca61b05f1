/** A cron line and what its fields stand for. */
export interface KnownLine {
  readonly line: string;
  /** Whether it fires at a time on the clock of its zone, written as the instant at which UTC shows it. */
  readonly has: (shown: number) => boolean;
}

/** Makes cron lines of all forms, the same ones each time. */
export function makeLines(count: number): KnownLine[] {
  let state = 20_261_228;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const field = (from: number, to: number): [string, (value: number) => boolean] => {
    const [one, other] = [from + below(to - from + 1), from + below(to - from + 1)];
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    const every = 1 + below(5);
    const forms: [string, (value: number) => boolean][] = [
      [`${one}`, (value) => value === one],
      [`${one},${other}`, (value) => value === one || value === other],
      [`${low}-${high}`, (value) => value >= low && value <= high],
      [`${low}-${high}/${every}`, (value) => value >= low && value <= high && (value - low) % every === 0],
      [`*/${every}`, (value) => (value - from) % every === 0],
      ['*', () => true],
    ];
    return forms[below(forms.length)] ?? ['*', () => true];
  };
  return Array.from({ length: count }, () => {
    const [minute, hour] = [field(0, 59), below(2) === 0 ? field(0, 23) : field(0, 3)];
    const [day, month, weekday] = [
      field(1, 31),
      below(4) === 0 ? field(1, 12) : (['*', () => true] as const),
      field(0, 6),
    ];
    const isEither = !`${day[0]}${weekday[0]}`.includes('*');
    const has = (shown: number) => {
      const date = new Date(shown);
      const [isDay, isWeekday] = [day[1](date.getUTCDate()), weekday[1](date.getUTCDay())];
      if (!minute[1](date.getUTCMinutes()) || !hour[1](date.getUTCHours())) return false;
      return month[1](date.getUTCMonth() + 1) && (isEither ? isDay || isWeekday : isDay && isWeekday);
    };
    const line = [minute, hour, day, month, weekday].map(([text]) => text).join(' ');
    return { line, has };
  });
}
