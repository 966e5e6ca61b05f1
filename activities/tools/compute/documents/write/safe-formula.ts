/** Functions that calculate with the cells of the workbook, and reach nothing else. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'ABS ACOS AND ASIN ATAN ATAN2 AVERAGE AVERAGEA AVERAGEIF AVERAGEIFS CEILING CHAR CHOOSE CLEAN CODE COLUMN COLUMNS ' +
    'CONCAT CONCATENATE CORREL COS COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS DATE DATEDIF DATEVALUE DAY DAYS DAYS360 DEGREES ' +
    'EDATE EOMONTH EVEN EXACT EXP FACT FALSE FIND FIXED FLOOR FORECAST FREQUENCY FV GCD GEOMEAN HLOOKUP HOUR IF ' +
    'IFERROR IFNA IFS INDEX INT INTERCEPT IPMT IRR ISBLANK ISERR ISERROR ISEVEN ISLOGICAL ISNA ISNUMBER ISODD ISTEXT LARGE LCM ' +
    'LEFT LEN LN LOG LOG10 LOOKUP LOWER MATCH MAX MAXA MAXIFS MEDIAN MID MIN MINA MINIFS MINUTE MOD MODE MONTH MROUND N NA ' +
    'NETWORKDAYS NOT NOW NPER NPV ODD OR PERCENTILE PERCENTRANK PI PMT POWER PPMT PRODUCT PROPER PV QUARTILE QUOTIENT RADIANS ' +
    'RANK RATE REPLACE REPT RIGHT ROUND ROUNDDOWN ROUNDUP ROW ROWS RSQ SEARCH SECOND SIGN SIN SLOPE SMALL SQRT STDEV STDEV.P ' +
    'STDEV.S STDEVP SUBSTITUTE SUBTOTAL SUM SUMIF SUMIFS SUMPRODUCT SUMSQ SWITCH T TAN TEXT TEXTJOIN TIME TIMEVALUE TODAY ' +
    'TRANSPOSE TRIM TRUE TRUNC UPPER VALUE VAR VAR.P VAR.S VARP VLOOKUP WEEKDAY WEEKNUM WORKDAY XIRR XLOOKUP XMATCH XNPV ' +
    'XOR YEAR YEARFRAC'
  ).split(' '),
);

/** Those that files name with a prefix, because older programs do not know them. */
const NEWER: ReadonlySet<string> = new Set(
  'CONCAT DAYS IFNA IFS MAXIFS MINIFS STDEV.P STDEV.S SWITCH TEXTJOIN VAR.P VAR.S XLOOKUP XMATCH XOR'.split(' '),
);
const PREFIX = '_xlfn.';

const MAX_FORMULA = 8_000;
const SHEET_NAME = /'[^'[\]:\\/*?]{1,31}'!/g;
/** Marks of other files, of other programs and of addresses. */
const OUTSIDE = /[[\]|\\'#@{}`]|\/\//;
/** A name, and whether it is called. */
const NAME = /[A-Z_][A-Z0-9_.]*\(?/gi;
const QUOTE = '"';

/**
 * Returns a formula as a workbook holds it, without `=`. Throws for one that calls anything but known calculations, or
 * that reaches another file or program: a spreadsheet would run it as soon as the file is opened.
 */
export function safeFormula(formula: string): string {
  const body = formula.trim().replace(/^=/, '');
  if (body === '' || body.length > MAX_FORMULA) throw new Error(`A formula has 1 to ${MAX_FORMULA} characters`);
  // Between each two quotes stands a text, in which anything may stand.
  const parts = body.split(QUOTE);
  const code = parts.filter((_, at) => at % 2 === 0);
  const isOutside = code.some((part) => OUTSIDE.test(part.replaceAll(SHEET_NAME, 'S!')));
  if (isOutside || parts.length % 2 === 0)
    throw new Error(`The formula ${shown(body)} refers to something outside of the workbook, or is not complete`);
  for (const name of calledIn(code.join('""')))
    if (!FUNCTIONS.has(name)) throw new Error(`The formula ${shown(body)} may not call ${name.slice(0, 40)}`);
  return parts.map((part, at) => (at % 2 === 0 ? withPrefixes(part) : part)).join(QUOTE);
}

// A blank may stand before the bracket.
function calledIn(code: string): string[] {
  const names = code.replaceAll(/\s+/g, '').match(NAME) ?? [];
  return names.filter((name) => name.endsWith('(')).map((name) => name.slice(0, -1).toUpperCase());
}

function withPrefixes(code: string): string {
  return code.replaceAll(NAME, (name) =>
    name.endsWith('(') && NEWER.has(name.slice(0, -1).toUpperCase()) ? PREFIX + name : name,
  );
}

function shown(formula: string): string {
  return formula.slice(0, 80).toWellFormed();
}
