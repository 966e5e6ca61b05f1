import type { DefinitionFields, DefinitionKind } from '../queries.ts';

/** How a tool of an organization is run. */
export const RUNTIMES = ['http', 'javascript', 'shell'] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** A file that is to be written. */
export interface NewFile {
  readonly path: string;
  readonly content: string;
}

const PARAMETERS = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What the tool is given.' } },
  required: ['text'],
  additionalProperties: false,
};

/** Returns the files that something new of a kind begins with, so that there is something to change. */
export function starterFiles({ key }: DefinitionKind, fields: DefinitionFields, runtime: Runtime): readonly NewFile[] {
  if (key === 'skills') return [{ path: 'SKILL.md', content: skillFile(fields) }];
  return key === 'tools' ? toolFiles(runtime) : [];
}

/** Returns the files of a tool that are run in a way, with the given parameters. */
export function toolFiles(runtime: Runtime, parameters: unknown = PARAMETERS): readonly NewFile[] {
  // Its code comes first: the tool is usable only once it is described.
  return [CODE[runtime], { path: 'tool.json', content: json({ parameters, effect: 'once', runtime }) }];
}

const CODE: Readonly<Record<Runtime, NewFile>> = {
  http: {
    path: 'http.json',
    content: json({ method: 'GET', url: 'https://example.com/', query: { text: '{{ text }}' } }),
  },
  javascript: {
    path: 'main.js',
    content: 'export default async function (args, { log }) {\n  log(args);\n  return args;\n}\n',
  },
  shell: { path: 'main.sh', content: '#!/bin/sh\ncat\n' },
};

// A text of JSON is one of YAML as well.
function skillFile({ key = '', name = '', description = '', category = '' }: DefinitionFields): string {
  const head = [
    `name: ${JSON.stringify(key.replaceAll('_', '-'))}`,
    `description: ${JSON.stringify(description)}`,
    `metadata: ${JSON.stringify({ title: name, category })}`,
  ];
  return `---\n${head.join('\n')}\n---\n\n# ${name}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
