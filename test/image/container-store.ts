import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/client-generators/generator.ts';

/** The programs that build and run images, by the names of their Debian packages. */
export const IMAGE_PROGRAMS = ['buildah', 'catatonit', 'debootstrap', 'podman', 'runc'];

/** Images and containers in a folder of their own, of which nothing is left at the end. */
export class ContainerStore {
  readonly folder = mkdtempSync(join(tmpdir(), 'everturn-image-'));
  /** What lasts until the machine restarts; Podman wants a short path. */
  readonly #runFolder = mkdtempSync('/run/everturn-');
  readonly #options: readonly string[];

  constructor() {
    // Users of containers reach the files that are mounted into them.
    chmodSync(this.folder, 0o755);
    const folders = ['--root', join(this.folder, 'images'), '--runroot', this.#runFolder];
    this.#options = [...folders, '--storage-driver', 'overlay'];
  }

  /** Runs Buildah, which needs no container runtime. */
  async buildah(...args: readonly string[]): Promise<string> {
    return run('buildah', [...this.#options, ...args], { env: { BUILDAH_ISOLATION: 'chroot', TMPDIR: this.folder } });
  }

  /** Runs Podman with the runtime that Docker has. */
  async podman(...args: readonly string[]): Promise<string> {
    const options = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--tmpdir', join(this.#runFolder, 'podman')];
    return run('podman', [...this.#options, ...options, ...args], { env: { TMPDIR: this.folder } });
  }

  /** Ends the containers and a build that was given up, and removes them and the images. */
  async remove(): Promise<void> {
    await this.buildah('rm', '--all');
    await this.podman('rm', '--all', '--force', '--time', '0');
    for (const folder of [this.folder, this.#runFolder]) rmSync(folder, { recursive: true });
  }
}
