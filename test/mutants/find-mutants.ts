import ts from 'typescript-5';

/** A change of one place of a source file that ought to make a test fail. */
export interface Mutant {
  readonly path: string;
  /** From 1 on. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The change in words, for the report. */
  readonly change: string;
}

const { SyntaxKind } = ts;

/** Operators, by what stands for them in a mutant. */
const SWAPPED = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
]);

const IS_SQL = /\b(?:select|insert|update|delete|where)\b/;
/** Parts of SQL, by what stands for them in a mutant. */
const SWAPPED_SQL: ReadonlyMap<string, string> = new Map([
  [' is null', ' is not null'],
  [' is not null', ' is null'],
  [' and ', ' or '],
  [' <= ', ' < '],
  [' < ', ' <= '],
  [' >= ', ' > '],
  [' > ', ' >= '],
  [' = ', ' <> '],
]);
const SQL_PART = new RegExp([...SWAPPED_SQL.keys()].toSorted((a, b) => b.length - a.length).join('|'), 'g');

/** Returns the mutants of a source file: dropped statements, negated conditions, swapped boundaries and operators. */
export function findMutants(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, replacement: string): void => {
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const change = `${shorten(text.slice(start, end))} => ${shorten(replacement)}`;
    mutants.push({ path, line, start, end, replacement, change });
  };
  const visit = (node: ts.Node): void => {
    if (isDroppable(node)) add(node.getStart(), node.end, ';');
    const condition = conditionOf(node);
    if (condition !== undefined) add(condition.getStart(), condition.end, `!(${condition.getText()})`);
    const swapped = ts.isBinaryExpression(node) ? SWAPPED.get(node.operatorToken.kind) : undefined;
    if (swapped !== undefined && ts.isBinaryExpression(node))
      add(node.operatorToken.getStart(), node.operatorToken.end, swapped);
    if (isText(node) && IS_SQL.test(node.getText()))
      for (const { 0: part, index } of node.getText().matchAll(SQL_PART))
        add(node.getStart() + index, node.getStart() + index + part.length, SWAPPED_SQL.get(part) ?? part);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** Returns the source file with a mutant's change. */
export function mutate(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function shorten(code: string): string {
  return code.replaceAll(/\s+/g, ' ').slice(0, 60);
}

function isDroppable(node: ts.Node): boolean {
  return ts.isThrowStatement(node) || (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression));
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined;
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateLiteralToken(node);
}
