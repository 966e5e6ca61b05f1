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
const CLOCKS = ['performance.now', 'Date.now', 'process.hrtime', 'process.hrtime.bigint', 'process.uptime'];
/** What a duration is called that somebody else has measured. */
const DURATION_NAME =
  /^(?:took|elapsed|duration|latency|pause|(?:elapsed|response|run|wait)_?time)(?:_?(?:ms|seconds))?$/i;
/** A duration as the difference of two moments that somebody else has noted. */
const NOTED_DURATION =
  /(?:started|began|ended|finished|completed)_?at\b.* - .*(?:started|began|ended|finished|completed)_?at\b/is;
/** A duration that PostgreSQL computes or compares; how far a date is ahead is none. */
const SQL_DURATION = [
  /\bextract\s*\(\s*epoch\s+from\s+(?![\w.]+ - now\(\))[^)]*-/i,
  /(?:\b(?:now|clock_timestamp)\(\)|_at)\s*-\s*[\w.]+\s*[<>]=?\s*interval/i,
  /[<>]=?\s*(?:now|clock_timestamp)\(\)\s*-\s*interval '\d+ (?:milli)?seconds?'/i,
];
const SQL_SLEEP = /\bpg_sleep\([012]?\d?(?:\.\d+)?\)/i;
/** Where functions that set how long others may take have their limit; by the last part of their name. */
const LIMITS = {
  // A method called `toString` is none of these.
  __proto__: null,
  waitUntil: ([, , limit]) => limit,
  test: ([, , limit]) => limit,
  it: ([, , limit]) => limit,
  longTest: ([, , limit]) => limit,
  beforeAll: ([, limit]) => limit,
  beforeEach: ([, limit]) => limit,
  afterAll: ([, limit]) => limit,
  afterEach: ([, limit]) => limit,
  setTimeout: ([limit], callee) => (callee.startsWith('jest.') ? limit : undefined),
  setDefaultTimeout: ([limit]) => limit,
  timeout: ([limit], callee) => (callee === 'AbortSignal.timeout' ? limit : undefined),
};
const SLEEP = 'A test does not sleep: it waits for a condition (test/support/wait-until.ts).';
const DURATION =
  'A test does not compare times: the order of events or faked timers assert it, a latency is measured by the bench.';
const LIMIT = `A limit below ${MIN_LIMIT_MS / 1000} s asserts how fast this machine is.`;

/** Refuses compared times, sleeps and short limits. */
export const noAssertedTime = {
  create(context) {
    const clocks = new Set(CLOCKS);
    /** Names of times, of what holds some, and of functions that return one; those of members begin with a dot. */
    const times = new Set();
    const processorTimes = new Set();
    const numbers = new Map();
    const sleeps = new Set(['Atomics.wait']);
    /** What ends a wait, or asserts something after it; and what ends the work of others as too slow. */
    const [fulfillers, rejecters] = [new Set(['expect']), new Set(['abort', 'throw'])];
    /** What a name stands for. */
    const values = [];
    const [comparisons, calls, limits] = [[], [], []];

    const isTime = (node) => TIMES[node?.type]?.(node) ?? false;
    const isNamedTime = (name) => times.has(name) || (DURATION_NAME.test(name) && !processorTimes.has(name));
    const isTimeCall = ({ callee, arguments: args }) => {
      const name = nameOf(callee);
      if (clocks.has(name) || times.has(name)) return true;
      if (/^(?:Math\.\w+|Number|BigInt)$/.test(name) || /\.(?:map|flatMap)$/.test(name)) return args.some(isTime);
      return /\.(?:getTime|valueOf|at)$/.test(name) && isTime(callee.object);
    };
    const TIMES = {
      __proto__: null,
      Identifier: ({ name }) => isNamedTime(name),
      MemberExpression: (node) => isNamedTime(`.${memberName(node)}`) || DURATION_NAME.test(memberName(node)),
      CallExpression: isTimeCall,
      NewExpression: ({ callee, arguments: args }) => callee.name === 'Date' && args.length === 0,
      BinaryExpression: ({ operator, left, right }) => !COMPARISONS.has(operator) && (isTime(left) || isTime(right)),
      LogicalExpression: ({ left, right }) => isTime(left) || isTime(right),
      ArrayExpression: ({ elements }) => elements.some(isTime),
      ArrowFunctionExpression: (node) => times.has(node) || isTime(node.body),
      AwaitExpression: ({ argument }) => isTime(argument),
      SpreadElement: ({ argument }) => isTime(argument),
      UnaryExpression: ({ argument }) => isTime(argument),
      ChainExpression: ({ expression }) => isTime(expression),
      TSAsExpression: ({ expression }) => isTime(expression),
      TSNonNullExpression: ({ expression }) => isTime(expression),
    };

    const numberOf = (node) => {
      if (node?.type === 'Identifier') return numbers.get(node.name);
      if (node?.type === 'MemberExpression') return numbers.get(`.${memberName(node)}`);
      if (node?.type !== 'BinaryExpression') return node?.value;
      const [left, right] = [numberOf(node.left), numberOf(node.right)];
      return { '*': left * right, '+': left + right, '-': left - right }[node.operator];
    };
    // Without a time it only lets others go first.
    const isLong = (time) => time !== undefined && numberOf(time) !== 0;
    const isWait = (time) => isLong(time) && !(numberOf(time) >= MIN_LIMIT_MS);
    const isShort = (limit) => numberOf(limit) > 0 && numberOf(limit) < MIN_LIMIT_MS;
    const callsOne = (names, callback) =>
      [...names].some((name) =>
        callback?.body
          ? new RegExp(`\\b${name}\\b`).test(context.sourceCode.getText(callback.body))
          : name === nameOf(callback).split('.').at(-1),
      );

    const isSleep = (name, [first, second]) => {
      if (/^set(?:Timeout|Interval)$/.test(name)) return isWait(second) && callsOne(fulfillers, first);
      if (name === 'promisify') return nameOf(first) === 'setTimeout';
      return name.endsWith('.waitForTimeout') || (sleeps.has(name) && isLong(first));
    };
    const isCompared = (node, [limit], matcher) => {
      // A date is told from others by a minute, whatever the machine does.
      const actual = expected(node.callee);
      if (isTime(actual)) return !(numberOf(limit) >= MIN_LIMIT_MS);
      if (matcher.startsWith('toBeLess') && NOTED_DURATION.test(context.sourceCode.getText(actual))) return true;
      const isRecent = limit?.operator === '-' && isTime(limit.left) && isShort(limit.right);
      return matcher.startsWith('toBeGreaterThan') && isRecent;
    };
    const complaintOf = (node) => {
      const [name, args] = [nameOf(node.callee), node.arguments];
      if (isSleep(name, args)) return SLEEP;
      const last = name.split('.').at(-1);
      if (COMPARING_MATCHERS.has(last)) return isCompared(node, args, last) ? DURATION : undefined;
      if (name === 'setTimeout') return isWait(args[1]) && callsOne(rejecters, args[0]) ? LIMIT : undefined;
      return isShort(LIMITS[last]?.(args, name)) ? LIMIT : undefined;
    };
    /** Takes `const { key: local } = owner`. */
    const takePart = (owner, key, local) => {
      if (clocks.has(`${owner}.${key}`)) clocks.add(local);
      values.push([local, { type: 'MemberExpression', property: { name: key } }]);
      if (owner === 'Promise.withResolvers') ({ resolve: fulfillers, reject: rejecters })[key]?.add(local);
    };
    const reportSql = (node, text) => {
      if (SQL_DURATION.some((pattern) => pattern.test(text))) context.report({ node, message: DURATION });
      if (SQL_SLEEP.test(text)) context.report({ node, message: SLEEP });
    };

    return {
      VariableDeclarator({ id, init }) {
        if (id.type === 'Identifier') {
          values.push([id.name, init]);
          if (nameOf(init) === 'Promise.withResolvers') fulfillers.add('resolve');
          if (nameOf(init) === 'cpuTimeOf') processorTimes.add(id.name);
          if (numberOf(init) > 0) numbers.set(id.name, numberOf(init));
        }
        for (const element of id.elements ?? []) values.push([element?.name, init]);
        for (const { key, value } of id.properties ?? []) takePart(nameOf(init), key?.name, value?.name);
      },
      AssignmentExpression({ left, right }) {
        values.push([left.type === 'MemberExpression' ? `.${memberName(left)}` : left.name, right]);
        for (const names of [fulfillers, rejecters]) if (names.has(right.name)) names.add(left.name);
      },
      Property({ key, value }) {
        values.push([`.${key.name}`, value]);
        if (numberOf(value) > 0) numbers.set(`.${key.name}`, numberOf(value));
        if (key.name === 'timeout') limits.push(value);
      },
      PropertyDefinition({ key, value }) {
        values.push([`.${key.name}`, value]);
      },
      ReturnStatement(node) {
        values.push([enclosingFunction(node), node.argument]);
      },
      BinaryExpression(node) {
        if (COMPARISONS.has(node.operator)) comparisons.push(node);
      },
      NewExpression({ callee, arguments: [executor] }) {
        if (nameOf(callee) !== 'Promise') return;
        const [fulfil, reject] = executor?.params ?? [];
        if (fulfil) fulfillers.add(fulfil.name);
        if (reject) rejecters.add(reject.name);
      },
      ImportDeclaration({ source, specifiers }) {
        for (const { imported, local } of specifiers) {
          for (const name of sleepsOf(source.value, imported?.name, local.name)) sleeps.add(name);
          for (const name of clocksOf(source.value, imported?.name, local.name)) clocks.add(name);
        }
      },
      Literal(node) {
        if (typeof node.value === 'string') reportSql(node, node.value);
      },
      TemplateElement(node) {
        reportSql(node, node.value.raw);
      },
      CallExpression(node) {
        calls.push(node);
        const { callee, arguments: args } = node;
        if (callee.type === 'MemberExpression' && memberName(callee) === 'push')
          for (const added of args) values.push([nameOf(callee.object), added]);
      },
      'Program:exit'() {
        let count;
        do {
          count = times.size;
          for (const [name, value] of values) if (name && isTime(value)) times.add(name);
        } while (times.size > count);
        for (const node of comparisons)
          if (isTime(node.left) || isTime(node.right)) context.report({ node, message: DURATION });
        // A number below a hundred is one of seconds, in a record.
        const short = limits.filter((node) => isShort(node) && numberOf(node) >= 100);
        for (const node of short) context.report({ node, message: LIMIT });
        for (const node of calls) {
          const message = complaintOf(node);
          if (message !== undefined) context.report({ node, message });
        }
      },
    };
  },
};

/** The names under which an import makes functions known that sleep; of a whole module `imported` is undefined. */
function sleepsOf(module, imported, local) {
  if (module.endsWith('/stack/core/wait.ts')) return imported === 'pause' ? [local] : [];
  if (!/^(?:node:)?timers\/promises$/.test(module)) return [];
  if (imported === 'setTimeout') return [local];
  if (imported === 'scheduler') return [`${local}.wait`];
  return imported === undefined || imported === 'default' ? [`${local}.setTimeout`, `${local}.scheduler.wait`] : [];
}

/** The names under which an import makes clocks known. */
function clocksOf(module, imported, local) {
  const of = { 'node:perf_hooks': '', perf_hooks: '', 'node:process': 'process.', process: 'process.' }[module];
  const prefix = `${of}${imported}`;
  return CLOCKS.filter((clock) => clock === prefix || clock.startsWith(`${prefix}.`)).map((clock) =>
    clock.replace(prefix, local),
  );
}

/** What is expected of by `expect(...).not.toBe...`. */
function expected({ object }) {
  let node = object;
  while (node?.type === 'MemberExpression') node = node.object;
  return node?.type === 'CallExpression' && nameOf(node.callee) === 'expect' ? node.arguments[0] : undefined;
}

/** The name of what is called, with the objects before it: `jest.setTimeout`; of `test.each(...)` it is `test`. */
function nameOf(node) {
  if (node?.type === 'CallExpression') return nameOf(node.callee).replace(/\.each$/, '');
  if (node?.type === 'TaggedTemplateExpression') return nameOf(node.tag).replace(/\.each$/, '');
  if (node?.type === 'Identifier') return node.name;
  if (node?.type !== 'MemberExpression') return '';
  return `${nameOf(node.object)}.${memberName(node)}`
    .replace(/^(?:globalThis|window)\./, '')
    .replace(/^(test|it)\.(?:only|concurrent|failing)\b/, '$1');
}

function memberName({ computed, property }) {
  return computed ? property.value : property.name;
}

/** The name of the function that a statement is in. */
function enclosingFunction(node) {
  let at = node.parent;
  while (at !== null && !/Function/.test(at.type)) at = at.parent;
  return at?.id?.name ?? at?.parent?.id?.name ?? at;
}
