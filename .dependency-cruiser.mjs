// Who may import whom (docs/architecture.md). Each rule carries its reason, which is printed when it fires.
import { existsSync, readdirSync } from 'node:fs';

const ours =
  '^(api|telemetry|files|activities|workflows|worker|db|domain|definition-files|builtin|scripts|bench|chaos|console|operator|packages|test)/';
// What every capability of the api builds on, each part under a name of its own; the other layers have a `core`.
const apiFoundation = '(access|auditing|context|http|input|limits|resources|sockets)';
const contract = '^workflows/[^/]+/contract\\.ts$';
const client = '^workflows/[^/]+/client\\.ts$';
const mcpSdkUsers = '^activities/mcp-servers/(oauth|sessions)/';
const withoutIndex = readdirSync('console')
  .filter((capability) => !existsSync(`console/${capability}/index.ts`))
  .join('|');
const notTests = { pathNot: '\\.test\\.tsx?$' };
const folders = (name, comment, allowed) => ({
  name: `${name}-imports`,
  comment,
  severity: 'error',
  from: { path: `^${name}/`, ...notTests },
  to: { path: ours, pathNot: [`^${name}/`, ...allowed] },
});
const libraries = (name, comment, allowed, except = []) => ({
  name: `${name}-libraries`,
  comment,
  severity: 'error',
  from: { path: `^${name}/`, pathNot: ['\\.test\\.tsx?$', ...except] },
  to: { pathNot: [ours, ...allowed.map((library) => `node_modules/${library}/`)] },
});
const typesOnly = (from, to, comment, except) => ({
  name: `${from}-takes-only-types-from-${to}`,
  comment,
  severity: 'error',
  from: { path: `^${from}/`, ...notTests },
  to: { path: `^${to}/`, pathNot: except, dependencyTypesNot: ['type-only'] },
});

export default {
  forbidden: [
    folders('domain', 'pure rules stand alone', []),
    libraries('domain', 'runs inside the workflow sandbox: no Node built-ins, no I/O', ['zod', 'ipaddr\\.js']),
    folders('definition-files', 'formats of files: nothing is shipped or stored here', ['^domain/']),
    folders('builtin', 'content and what reads it', ['^domain/', '^definition-files/index\\.ts$']),
    folders('workflows', 'decisions only', ['^domain/', '^activities/index\\.ts$']),
    libraries(
      'workflows',
      'sees the Temporal workflow API and nothing else',
      ['@temporalio/workflow', '@temporalio/common'],
      [client],
    ),
    typesOnly('workflows', 'activities', 'activities are reached through proxyActivities', []),
    folders('db', 'knows the domain, its files and PostgreSQL, nothing above', [
      '^domain/',
      '^definition-files/index\\.ts$',
    ]),
    folders('files', 'keeps the bytes of files, for those who take them in and those who read them', [
      '^domain/',
      '^db/',
    ]),
    folders('telemetry', 'logs and traces of a process', ['^domain/']),
    folders('activities', 'the only code that touches the outside world', [
      '^files/',
      '^domain/',
      '^definition-files/index\\.ts$',
      '^builtin/index\\.ts$',
      '^db/',
      contract,
    ]),
    folders('api', 'reaches PostgreSQL, Temporal and the files, nothing else', [
      '^files/',
      '^telemetry/',
      '^domain/',
      '^definition-files/index\\.ts$',
      '^builtin/index\\.ts$',
      '^db/',
      contract,
      client,
    ]),
    folders('worker', 'composition root of the background process', [
      '^telemetry/',
      '^domain/',
      '^definition-files/index\\.ts$',
      '^builtin/index\\.ts$',
      '^db/',
      '^files/',
      '^activities/',
      '^workflows/',
    ]),
    folders('operator', 'programs for whoever runs the service: backup, restore, doctor', [
      '^files/',
      '^domain/',
      '^db/',
      client,
    ]),
    folders('scripts', 'starts the parts as processes, and imports none of them', ['^domain/']),
    folders('console', 'a client like any other: rules of the domain, and the api over HTTP', [
      '^domain/',
      '^packages/sdk/src/openapi\\.ts$',
    ]),
    folders('packages', 'clients that others install: nothing of the service comes with them', []),
    libraries('packages/sdk', 'it has no dependency, and runs wherever `fetch` does', []),
    {
      name: 'sdk-is-alone',
      comment: 'other packages build on it, through its index',
      severity: 'error',
      from: { path: '^packages/(?!sdk/)', ...notTests },
      to: { path: '^packages/sdk/', pathNot: '^packages/sdk/src/index\\.ts$' },
    },
    libraries(
      'console',
      'runs in a browser: no Node built-ins',
      [
        'react',
        'react-dom',
        '@tanstack',
        '@base-ui',
        'lucide-react',
        'openapi-fetch',
        'eventsource-parser',
        'fflate',
        'fractional-indexing',
        'marked',
        'temml',
        'beautiful-mermaid',
        '@lezer',
        '@codemirror',
        '@atlaskit',
        'bowser',
      ],
      ['^console/vite\\.config\\.mjs$'],
    ),
    {
      name: 'console-is-a-leaf',
      comment: 'the service knows nothing of the pages that it serves',
      severity: 'error',
      from: { pathNot: ['^console/', '^test/', '\\.test\\.ts$'] },
      to: { path: '^console/' },
    },
    {
      name: 'console-core-knows-no-capability',
      comment: 'what all pages build on',
      severity: 'error',
      from: { path: '^console/core/', ...notTests },
      to: { path: '^console/', pathNot: '^console/(core/|openapi\\.ts$)' },
    },
    {
      name: 'console-ui-knows-no-capability',
      comment: 'parts of pages have no word of the product',
      severity: 'error',
      from: { path: '^console/ui/', ...notTests },
      to: { path: '^console/', pathNot: '^console/(core|ui)/' },
    },
    {
      name: 'console-sibling-through-index',
      comment: 'a capability that has an index.ts is entered through it',
      severity: 'error',
      from: { path: '^console/([^/]+)/', ...notTests },
      to: {
        path: '^console/[^/]+/',
        pathNot: [`^console/(core|ui|$1|${withoutIndex})/`, '^console/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'sibling-through-contract',
      comment: 'what a workflow shows to others is in its contract.ts and client.ts',
      severity: 'error',
      from: { path: '^workflows/([^/]+)/', ...notTests },
      to: { path: '^workflows/[^/]+/', pathNot: '^workflows/(core/|$1/|[^/]+/(contract|client)\\.ts$)' },
    },
    {
      name: 'core-knows-no-capability',
      comment: 'core is what all capabilities build on',
      severity: 'error',
      from: { path: '^(activities|workflows|db|domain)/core/', ...notTests },
      to: { path: '^$1/(?!core/)' },
    },
    {
      name: 'composed-last',
      comment: 'db/orm brings the pieces of all capabilities together, so none of them builds on it',
      severity: 'error',
      from: { path: '^db/', pathNot: ['^db/orm/', '\\.test\\.ts$'] },
      to: { path: '^db/orm/' },
    },
    {
      name: 'foundation-knows-no-capability',
      comment: 'what all capabilities of the api build on',
      severity: 'error',
      from: { path: `^api/${apiFoundation}/`, ...notTests },
      to: { path: '^api/', pathNot: `^api/${apiFoundation}/` },
    },
    {
      name: 'tests-are-leaves',
      comment: 'nothing but tests, the bench and the chaos harness may depend on tests',
      severity: 'error',
      from: { pathNot: ['^test/', '^bench/', '^chaos/', '\\.test\\.tsx?$'] },
      to: { path: ['^test/', '\\.test\\.tsx?$'] },
    },
    {
      name: 'one-way-out',
      comment: 'outgoing calls go through activities/core/network/guarded-fetch.ts and guarded-connect.ts',
      severity: 'error',
      from: {
        path: '^(api|activities|worker|db|domain|workflows)/',
        pathNot: ['\\.test\\.ts$', '^activities/core/network/guarded-(fetch|connect)\\.ts$'],
      },
      to: { path: ['node_modules/undici/', '^(node:)?(https|http2|tls|dgram)$'] },
    },
    {
      name: 'one-launcher',
      comment: 'commands run in activities/sandbox; calculations are programs of our own in bounded processes',
      severity: 'error',
      from: {
        path: '^activities/',
        pathNot: ['\\.test\\.ts$', '^activities/sandbox/', '^activities/tools/compute/start-child\\.ts$'],
      },
      to: { path: '^(node:)?(child_process|cluster)$' },
    },
    {
      name: 'mcp-sdk-at-first-use',
      comment:
        'it takes 4 MB of the heap of a worker, and many reach no MCP server: what needs it is imported when it is used',
      severity: 'error',
      from: { path: '^(activities|worker)/', pathNot: ['\\.test\\.ts$', mcpSdkUsers] },
      to: {
        path: ['node_modules/@modelcontextprotocol/', mcpSdkUsers],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'context-knows-no-builtin-tool',
      comment: 'what the context of a call offers is used by builtin tools, and uses none of them',
      severity: 'error',
      from: { path: '^activities/tools/(operations|requests|compute|workspace|script)/', ...notTests },
      to: { path: '^activities/tools/builtin/' },
    },
    {
      name: 'tools-reach-nothing-themselves',
      comment:
        'a builtin tool works with its context, which is bound to its organization: no database, no other way out',
      severity: 'error',
      from: { path: '^activities/tools/builtin/', ...notTests },
      to: {
        path: [
          ours,
          'node_modules/(pg|@mikro-orm|undici)/',
          '^(node:)?(child_process|cluster|dgram|dns|fs|http|https|http2|net|tls|worker_threads)(/|$)',
        ],
        pathNot: [
          '^activities/tools/builtin/',
          '^activities/tools/(define-tool|context|tool|tool-failure)\\.ts$',
          '^activities/tools/requests/',
          '^activities/tools/compute/(job|describe-time)\\.ts$',
          '^activities/tools/workspace/(workspace|workspace-path)\\.ts$',
          '^activities/core/texts/read-text\\.ts$',
          '^domain/',
        ],
      },
    },
    {
      name: 'custom-tools-reach-nothing-themselves',
      comment: 'the runtimes of custom tools work with the context of the call, like builtin tools',
      severity: 'error',
      from: { path: '^activities/tools/custom/', ...notTests },
      to: {
        path: [
          ours,
          'node_modules/(pg|@mikro-orm|undici)/',
          '^(node:)?(child_process|cluster|dgram|dns|fs|http|https|http2|net|tls|worker_threads)(/|$)',
        ],
        pathNot: [
          '^activities/tools/(custom|arguments|requests)/',
          '^activities/tools/(context|runnable-tool|tool|tool-failure|toolset)\\.ts$',
          '^activities/tools/script/(messages|script-run)\\.ts$',
          '^domain/',
        ],
      },
    },
    {
      name: 'no-cycles',
      comment: 'cycles hide who depends on whom',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(console|packages/[^/]+)/dist' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
