// A rule of oxlint for tests: how long something takes depends on what else the machine does, so a test that looks at a
// clock fails without a reason. Names are followed within a file, whatever their scope.

const MIN_LIMIT_MS = 30_000;
const COMPARISONS = new Set(['<', '<=', '>', '>=']);
const COMPARING_MATCHERS = new Set([
  'toBeLessThan',
  'toBeLessThanOrEqual',
  'toBeGreaterThan',
  'toBeGreaterThanOrEqual',
  'toBeCloseTo',
]);
const CLOCKS = new Set(['performance.now', 'Date.now', 'process.hrtime', 'process.hrtime.bigint', 'process.uptime']);
/** Where functions that wait, or set how long others may, take their limit; by the last part of their name. */
const LIMITS = {
  // A method called `toString` is none of these.
  __proto__: null,
  waitUntil: ([, , limit]) => limit,
  test: ([, , limit]) => limit,
  it: ([, , limit]) => limit,
  beforeAll: ([, limit]) => limit,
  beforeEach: ([, limit]) => limit,
  afterAll: ([, limit]) => limit,
  afterEach: ([, limit]) => limit,
  waitFor: ([, options]) => memberOf(options, 'timeout'),
  waitForElementToBeRemoved: ([, options]) => memberOf(options, 'timeout'),
  setTimeout: ([limit], callee) => (callee.startsWith('jest.') ? limit : undefined),
  setDefaultTimeout: ([limit]) => limit,
  timeout: ([limit], callee) => (callee === 'AbortSignal.timeout' ? limit : undefined),
};
const SLEEP = 'A test does not sleep: it waits for a condition (test/support/wait-until.ts).';
const DURATION =
  'A test does not compare times: the order of events or faked timers assert it, a latency is measured by the bench.';
const LIMIT = `A limit below ${MIN_LIMIT_MS / 1000} s asserts how fast this machine is.`;

const rule = {
  create(context) {
    const times = new Set();
    const numbers = new Map();
    const sleeps = new Set();
    const [comparisons, calls] = [[], []];

    const isTime = (node) => {
      switch (node?.type) {
        case 'Identifier':
          return times.has(node.name);
        case 'CallExpression':
          return (
            CLOCKS.has(nameOf(node.callee)) ||
            (node.callee.type === 'Identifier' && times.has(node.callee.name)) ||
            (isRounding(node) && node.arguments.some(isTime))
          );
        case 'BinaryExpression':
          return !COMPARISONS.has(node.operator) && (isTime(node.left) || isTime(node.right));
        case 'AwaitExpression':
          return isTime(node.argument);
        default:
          return false;
      }
    };
    const numberOf = (node) => (node?.type === 'Literal' ? node.value : numbers.get(node?.name));
    // Without a time it only lets others go first.
    const isLong = (time) => time !== undefined && numberOf(time) !== 0;

    const complaintOf = (node, name) => {
      const [last] = name.split('.').slice(-1);
      if (sleeps.has(name)) return isLong(node.arguments[0]) ? SLEEP : undefined;
      // A date is told from others by a minute, whatever the machine does.
      if (COMPARING_MATCHERS.has(last))
        return isTime(expected(node.callee)) && !(numberOf(node.arguments[0]) >= MIN_LIMIT_MS) ? DURATION : undefined;
      const limitOf = /^find(?:All)?By/.test(last) ? optionsOfQuery : LIMITS[last];
      return numberOf(limitOf?.(node.arguments, name)) < MIN_LIMIT_MS ? LIMIT : undefined;
    };

    return {
      VariableDeclarator({ id, init }) {
        if (id.type !== 'Identifier') return;
        if (isTime(init)) times.add(id.name);
        if (typeof init?.value === 'number') numbers.set(id.name, init.value);
        if (init?.type === 'ArrowFunctionExpression' && isTime(init.body)) times.add(id.name);
      },
      ReturnStatement(node) {
        if (isTime(node.argument)) times.add(enclosingFunction(node));
      },
      BinaryExpression(node) {
        if (COMPARISONS.has(node.operator)) comparisons.push(node);
      },
      NewExpression(node) {
        if (isSleep(node, isLong)) context.report({ node, message: SLEEP });
      },
      ImportDeclaration({ source, specifiers }) {
        if (!/^(?:node:)?timers\/promises$|\/stack\/core\/wait\.ts$/.test(source.value)) return;
        for (const { imported, local } of specifiers)
          if (imported?.name === 'setTimeout' || imported?.name === 'pause') sleeps.add(local.name);
      },
      CallExpression(node) {
        calls.push(node);
      },
      'Program:exit'() {
        for (const node of comparisons)
          if (isTime(node.left) || isTime(node.right)) context.report({ node, message: DURATION });
        for (const node of calls) {
          const message = complaintOf(node, nameOf(node.callee));
          if (message !== undefined) context.report({ node, message });
        }
      },
    };
  },
};

function optionsOfQuery([, , options]) {
  return memberOf(options, 'timeout');
}

/** What is expected of by `expect(...).not.toBe...`. */
function expected({ object }) {
  let node = object;
  while (node?.type === 'MemberExpression') node = node.object;
  return node?.type === 'CallExpression' && nameOf(node.callee) === 'expect' ? node.arguments[0] : undefined;
}

/** Whether it is `new Promise((resolve) => setTimeout(resolve, ms))`. */
function isSleep({ callee, arguments: [executor] }, isLong) {
  const [resolve] = executor?.params ?? [];
  if (nameOf(callee) !== 'Promise' || resolve?.type !== 'Identifier') return false;
  const { body } = executor;
  const statements = body.type === 'BlockStatement' ? body.body : [{ expression: body }];
  return statements.some(({ expression }) => {
    const call = expression?.type === 'UnaryExpression' ? expression.argument : expression;
    if (call?.type !== 'CallExpression' || nameOf(call.callee) !== 'setTimeout') return false;
    const [then, time] = call.arguments;
    return then?.name === resolve.name && isLong(time);
  });
}

function isRounding({ callee }) {
  return nameOf(callee).startsWith('Math.');
}

/** The name of what is called, with the objects before it: `jest.setTimeout`; of `test.each(...)` it is `test`. */
function nameOf(node) {
  if (node.type === 'CallExpression') return nameOf(node.callee).replace(/\.each$/, '');
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression' || node.computed) return '';
  return `${nameOf(node.object)}.${node.property.name}`;
}

function memberOf(node, name) {
  return node?.properties?.find(({ key }) => key?.name === name)?.value;
}

/** The name of the function that a statement is in. */
function enclosingFunction(node) {
  let at = node.parent;
  while (at !== null && !/Function/.test(at.type)) at = at.parent;
  return at?.id?.name ?? at?.parent?.id?.name;
}

export default { meta: { name: 'everturn' }, rules: { 'no-asserted-time': rule } };
