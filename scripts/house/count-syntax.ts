import ts from 'typescript-5';

/** The constructs in the syntax tree of a file. */
export type SyntaxCount = {
  /** Lines of each function that has three or more: shorter ones are expressions that got a name. */
  functionLines: number[];
  functionsOfManyParameters: number;
  any: number;
  nonNull: number;
  defaultExports: number;
  /** `as`, except `as const`. */
  casts: number;
  /**
   * Casts that need no check to be wrong: `query<Row>(...)`, and those of `casts` that read `(rows ?? []) as Row[]`.
   */
  hiddenCasts: number;
  throwsNew: number;
  throwsNewError: number;
};

const MOST_PARAMETERS = 3;
const SHORTEST_FUNCTION = 3;

/** Counts on the syntax tree what the house rules are about. */
export function countSyntax(path: string, text: string): SyntaxCount {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const count: SyntaxCount = {
    functionLines: [],
    functionsOfManyParameters: 0,
    any: 0,
    nonNull: 0,
    defaultExports: 0,
    casts: 0,
    hiddenCasts: 0,
    throwsNew: 0,
    throwsNewError: 0,
  };
  const visit = (node: ts.Node): void => {
    countFunction(node, tree, count);
    countCast(node, count);
    countThrow(node, count);
    if (node.kind === ts.SyntaxKind.AnyKeyword) count.any += 1;
    if (ts.isNonNullExpression(node)) count.nonNull += 1;
    if (isDefaultExport(node)) count.defaultExports += 1;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return count;
}

function countFunction(node: ts.Node, tree: ts.SourceFile, count: SyntaxCount): void {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line;
  const lines = lineOf(node.end) - lineOf(node.getStart(tree)) + 1;
  if (lines >= SHORTEST_FUNCTION) count.functionLines.push(lines);
  if (node.parameters.length > MOST_PARAMETERS) count.functionsOfManyParameters += 1;
}

function countCast(node: ts.Node, count: SyntaxCount): void {
  if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) {
    count.casts += 1;
    if (isListOrNone(node.expression)) count.hiddenCasts += 1;
  }
  if (ts.isCallExpression(node) && node.typeArguments !== undefined && isQuery(node.expression)) count.hiddenCasts += 1;
}

function isListOrNone(node: ts.Expression): boolean {
  const inner = ts.isParenthesizedExpression(node) ? node.expression : node;
  return (
    ts.isBinaryExpression(inner) &&
    inner.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    ts.isArrayLiteralExpression(inner.right)
  );
}

function isQuery(called: ts.Expression): boolean {
  const name = ts.isPropertyAccessExpression(called) ? called.name : called;
  return ts.isIdentifier(name) && ['query', 'execute'].includes(name.text);
}

function countThrow(node: ts.Node, count: SyntaxCount): void {
  if (!ts.isThrowStatement(node) || !ts.isNewExpression(node.expression)) return;
  count.throwsNew += 1;
  const thrown = node.expression.expression;
  if (ts.isIdentifier(thrown) && thrown.text === 'Error') count.throwsNewError += 1;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return node.isExportEquals !== true;
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false)
  );
}
