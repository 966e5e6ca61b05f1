/** A number with all its digits: so many units, of which each is one in ten to the power of `places`. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

// Bounded, for what is calculated with the digits.
const DECIMAL =
  /^\s*(?:\+|(?<minus>-))?(?:(?<whole>\d{1,1000})(?:\.(?<fraction>\d{0,1000}))?|\.(?<only>\d{1,1000}))(?:e(?<exponent>[+-]?\d{1,3}))?\s*$/i;

/** Returns the decimal number that a cell holds; undefined when it holds none. */
export function decimalOf(cell: string): Decimal | undefined {
  const groups = DECIMAL.exec(cell)?.groups;
  if (groups === undefined) return undefined;
  const { minus = '', whole = '', only = '', fraction = only, exponent = '0' } = groups;
  const units = BigInt(minus + whole + fraction);
  const places = fraction.length - Number(exponent);
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places };
}

/** Returns the sum of two numbers. */
export function addDecimals(one: Decimal, other: Decimal): Decimal {
  const places = Math.max(one.places, other.places);
  return { units: unitsAt(one, places) + unitsAt(other, places), places };
}

/** Compares two numbers, as `Array.sort` wants it. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const places = Math.max(one.places, other.places);
  const [left, right] = [unitsAt(one, places), unitsAt(other, places)];
  return left < right ? -1 : Number(left > right);
}

/** Returns a number divided by a whole one, with two places more. */
export function divideDecimal({ units, places }: Decimal, divisor: number): Decimal {
  return { units: (units * 100n) / BigInt(divisor), places: places + 2 };
}

/** Writes a number without zeros at the end of its fraction. */
export function decimalText({ units, places }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const point = digits.length - places;
  let end = digits.length;
  while (end > point && digits.charAt(end - 1) === '0') end -= 1;
  const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
}

function unitsAt({ units, places }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - places);
}
