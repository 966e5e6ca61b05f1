type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a file as text, such as `readFileSync`. */
export type ReadFile = (path: string, encoding: 'utf8') => string;

/** Ends the name of the variable that gives a setting by the path of a file. */
const SUFFIX = '_FILE';

/** The environment with the content of files instead of their paths, and the files that cannot be used. */
interface FilesRead {
  readonly given: Environment;
  /** The faults, by the name of the setting. */
  readonly faults: ReadonlyMap<string, string>;
}

/**
 * Reads each named setting `NAME` for which the environment has a path in `NAME_FILE`, without line breaks at the end.
 * Neither contents nor paths are repeated in faults: a secret may have been given instead of a path.
 */
export function readSettingFiles(names: readonly string[], environment: Environment, readFile: ReadFile): FilesRead {
  const given = { ...environment };
  const faults = new Map<string, string>();
  for (const name of names) {
    const variable = `${name}${SUFFIX}`;
    const path = given[variable] ?? '';
    if (path === '') continue;
    if ((given[name] ?? '') !== '') {
      faults.set(name, `${name}: is given twice, by ${variable} too`);
      continue;
    }
    try {
      const value = withoutLineEnd(readFile(path, 'utf8'));
      if (value === '') faults.set(name, `${variable}: the file is empty`);
      else Object.assign(given, { [name]: value, [variable]: undefined });
    } catch (error) {
      faults.set(name, `${variable}: the file cannot be read${codeOf(error)}`);
    }
  }
  return { given, faults };
}

/** Returns the faults of the named settings whose values are paths of files that cannot be read. */
export function unreadableFiles(names: readonly string[], given: Environment, readFile: ReadFile): string[] {
  return names.flatMap((name) => {
    const path = given[name] ?? '';
    try {
      if (path !== '') readFile(path, 'utf8');
      return [];
    } catch (error) {
      return [`${name}: the file cannot be read${codeOf(error)}`];
    }
  });
}

/** Returns an environment with these settings, whether variables or files have given them before. */
export function withSettings(environment: Environment, settings: Environment): Record<string, string | undefined> {
  const files = new Set(Object.keys(settings).map((name) => `${name}${SUFFIX}`));
  return { ...Object.fromEntries(Object.entries(environment).filter(([name]) => !files.has(name))), ...settings };
}

function withoutLineEnd(text: string): string {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}
