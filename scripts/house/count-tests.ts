import ts from 'typescript-5';

/** The tests that a file declares. */
export type TestCount = { titles: number; titlesWithShould: number };

/** Counts the titles of a test file's tests: `test(...)`, `test.each(...)(...)`, and the same of `it`. */
export function countTests(path: string, text: string): TestCount {
  const count: TestCount = { titles: 0, titlesWithShould: 0 };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      count.titles += 1;
      if (title !== undefined && /\bshould\b/i.test(title.getText())) count.titlesWithShould += 1;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return count;
}

function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'test' || called.text === 'it';
  // `test.each(rows)` is called with the title; `test.each` itself is called with the rows.
  if (ts.isCallExpression(called)) return ts.isPropertyAccessExpression(called.expression) && isEach(called.expression);
  return ts.isPropertyAccessExpression(called) && !isEach(called) && isTest(called.expression);
}

function isEach(called: ts.PropertyAccessExpression): boolean {
  return called.name.text === 'each' && (isTest(called.expression) || ts.isPropertyAccessExpression(called.expression));
}
