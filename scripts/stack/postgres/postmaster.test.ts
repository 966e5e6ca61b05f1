import { describe, expect, test } from '@jest/globals';

import { clusterName, clusterProcesses } from './postmaster.ts';

const cluster = '/home/ada/.everturn/postgres/cluster';

describe('the processes of a cluster', () => {
  test('are its postmaster and those with its name', () => {
    const running = [
      { pid: 1, words: ['init'] },
      { pid: 10, words: ['/lib/postgres', '-D', cluster, '-c', 'port=1'] },
      { pid: 11, words: [`postgres: ${clusterName(cluster)}: checkpointer `] },
    ];
    expect(clusterProcesses(cluster, running)).toEqual({ postmaster: 10, others: [11] });
  });

  test('do not include those of another cluster', () => {
    const running = [
      { pid: 10, words: ['/lib/postgres', '-D', `${cluster}2`, '-c', 'port=1'] },
      { pid: 11, words: [`postgres: ${clusterName(`${cluster}2`)}: checkpointer `] },
      { pid: 12, words: ['tail', '-D', cluster, '-f'] },
    ];
    expect(clusterProcesses(cluster, running)).toEqual({ postmaster: undefined, others: [] });
  });
});
