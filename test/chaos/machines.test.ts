import { describe, expect, test } from '@jest/globals';
import { MACHINE_FAULTS } from '../../chaos/faults/plan-faults.ts';
import { whyNoMachines } from '../../chaos/machines/programs.ts';
import { readOptions } from '../../chaos/options.ts';

describe('a chaos run on many machines', () => {
  const here = { platform: 'linux', isRoot: true, has: () => true, hasTun: true };

  test('is possible for root on Linux with all commands', () => {
    expect(whyNoMachines(here)).toBeUndefined();
  });

  test.each([
    ['the system', { platform: 'darwin' }, 'network namespaces are those of Linux, and this is darwin'],
    ['the user', { isRoot: false }, 'only root may create network namespaces'],
    ['the device', { hasTun: false }, 'there is no /dev/net/tun'],
    ['commands', { has: (name: string) => name !== 'haproxy' }, 'these commands are not installed: haproxy'],
  ])('says that %s keeps it from running', (_what, missing, reason) => {
    expect(whyNoMachines({ ...here, ...missing })).toBe(reason);
  });

  test('injects each fault of machines once, with three workers, by default', () => {
    expect(readOptions(['--machines'])).toMatchObject({
      faults: MACHINE_FAULTS.length,
      kinds: MACHINE_FAULTS,
      workerMachines: 3,
    });
    expect(readOptions(['--machines', '--workers', '1', '--faults', '0'])).toMatchObject({
      faults: 0,
      workerMachines: 1,
    });
    expect(readOptions([])).not.toHaveProperty('workerMachines');
  });
});
