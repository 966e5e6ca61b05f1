import { describe, expect, test } from '@jest/globals';

import { readDynamicConfig, temporalDynamicConfig } from './temporal-dynamic-config.ts';

describe('the dynamic configuration of Temporal', () => {
  test('lets queue processors poll faster than every 50 ms', () => {
    expect(temporalDynamicConfig()).toMatchObject({
      'history.transferProcessorMaxPollRPS': '2000',
      'history.timerProcessorMaxPollRPS': '2000',
    });
  });

  test('bounds the workflows that the server keeps in memory', () => {
    const config = temporalDynamicConfig();
    expect(config).toMatchObject({ 'history.hostLevelCacheMaxSize': '1600', 'history.cacheTTL': '"3m"' });
    expect(JSON.parse(config['history.cacheBackgroundEvict'] ?? '{}')).toMatchObject({ Enabled: true });
  });

  test('bounds the schedules that the server keeps in memory, and has it create nothing beside them', () => {
    expect(temporalDynamicConfig()).toMatchObject({
      'worker.stickyCacheSize': '100',
      'history.enableCHASMSchedulerSentinels': 'false',
    });
  });

  test('is refused when a key has anything but one plain value', () => {
    expect(() => readDynamicConfig('some.key:\n  - value: 1\n    constraints: {}\n')).toThrow(
      'Not a key followed by one value',
    );
  });
});
