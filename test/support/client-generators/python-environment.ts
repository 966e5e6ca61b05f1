import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once, PROGRAMS, run } from './generator.ts';

/** Packages of Python in a folder of their own. */
export class PythonEnvironment {
  readonly #folder: string;
  readonly #packages: readonly string[];

  constructor(folder: string, packages: readonly string[]) {
    this.#folder = folder;
    this.#packages = packages;
  }

  /** Installs the packages, unless they are there. */
  async install(): Promise<void> {
    await once(this.#folder, async () => {
      await run('python3', ['-m', 'venv', this.#folder]);
      await this.run('pip', ['install', '--quiet', '--disable-pip-version-check', ...this.#packages]);
    });
  }

  /** Runs a command of the packages. */
  async run(command: string, args: readonly string[], cwd?: string): Promise<string> {
    return run(join(this.#folder, 'bin', command), args, cwd === undefined ? {} : { cwd });
  }

  /** Compiles a client with the program that uses it. */
  async compile(folder: string, program: string): Promise<void> {
    await copyFile(join(PROGRAMS, program), join(folder, 'program.py'));
    await this.run('python', ['-m', 'compileall', '-q', 'everturn', 'program.py'], folder);
  }

  /** Runs the program that uses a client. */
  async use(folder: string, args: readonly string[]): Promise<string> {
    return this.run('python', [join(folder, 'program.py'), ...args]);
  }
}
