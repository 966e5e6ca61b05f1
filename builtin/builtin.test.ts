import { describe, expect, test } from '@jest/globals';
import { AGENT_TYPES } from '../domain/agents.ts';
import {
  builtinAgents,
  builtinPersonas,
  builtinTools,
  findCatalogEntry,
  isToolKey,
  modelFacts,
  providerCatalog,
} from './index.ts';

/** The skill keys that the specification names. */
const skillKeys = new Set(
  'agent_spawn bash git platform_management read_file read_url schedule_manage summarize task_decompose web_search write_file'.split(
    ' ',
  ),
);

const unique = (values: readonly string[]): boolean => new Set(values).size === values.length;

describe('providerCatalog', () => {
  test('contains providers of different keys', () => {
    expect(unique(providerCatalog.map(({ key }) => key))).toBe(true);
  });

  test('contains three providers that sign in through their own CLI', () => {
    const oauth = providerCatalog.filter(({ authType }) => authType === 'oauth');
    expect(oauth.map(({ key, streamType }) => [key, streamType])).toEqual([
      ['claude-code', 'claude-code'],
      ['codex', 'codex'],
      ['gemini-cli', 'gemini-cli'],
    ]);
  });

  test('labels the demo provider as no language model', () => {
    expect(findCatalogEntry('demo')).toMatchObject({
      streamType: 'demo',
      authType: 'none',
      name: expect.stringContaining('no LLM'),
    });
  });

  test.each(providerCatalog.map((entry) => [entry.key, entry] as const))(
    'lists the default model of %s among its models',
    (_key, entry) => {
      if (entry.defaultModel !== null) expect(entry.models).toContain(entry.defaultModel);
      expect(unique(entry.models)).toBe(true);
    },
  );

  test.each(providerCatalog.map((entry) => [entry.key, entry] as const))('says how %s is reached', (_key, entry) => {
    const needsNoAddress = entry.authType === 'oauth' || entry.streamType === 'demo' || entry.requiresBaseUrl;
    expect(needsNoAddress || entry.baseUrl !== null).toBe(true);
    if (entry.baseUrl !== null && entry.baseUrl.startsWith('http:'))
      expect(new URL(entry.baseUrl).hostname).toBe('localhost');
  });

  test('finds nothing when the key is unknown or the name of an object property', () => {
    expect([findCatalogEntry('no-such'), findCatalogEntry('constructor')]).toEqual([undefined, undefined]);
  });

  test('cannot be changed', () => {
    expect(() => Object.assign(providerCatalog[0] ?? {}, { name: 'x' })).toThrow(TypeError);
    expect(() => Array.prototype.push.call(providerCatalog[0]?.models, 'x')).toThrow(TypeError);
  });
});

describe('builtinAgents', () => {
  test('contains one agent for each agent type', () => {
    expect(builtinAgents.map(({ agentType }) => agentType).toSorted()).toEqual(AGENT_TYPES.toSorted());
    expect(builtinAgents.map(({ key }) => key)).toEqual(builtinAgents.map(({ agentType }) => agentType));
  });

  test('keeps the ids that clients may have stored', () => {
    expect(Object.fromEntries(builtinAgents.map(({ key, id }) => [key, id]))).toEqual({
      architect: '285613b4-2fce-5908-9fa0-cb05f035605b',
      assistant: '2a006902-8583-5ffb-b077-bf97b4ce8d7e',
      coordinator: '0d24ebda-dc6f-589f-b04e-310bdd35bf5c',
      custom: 'e4188eee-b486-59cb-8b59-a5f401dc6807',
      devops: 'f3f70f86-e306-59d6-b0ba-90315581ca2c',
      project_manager: '503efab1-1f41-527b-bda4-0579412b60da',
    });
  });

  test.each(builtinAgents.map((agent) => [agent.key, agent] as const))(
    'gives %s known tools and skills and a prompt of 15 to 40 lines',
    (_key, agent) => {
      expect(agent.tools.filter((key) => !isToolKey(key))).toEqual([]);
      expect(agent.skills.filter((key) => !skillKeys.has(key))).toEqual([]);
      expect(unique(agent.tools) && unique(agent.skills)).toBe(true);
      const lines = agent.systemPrompt.split('\n').length;
      expect(lines).toBeGreaterThanOrEqual(15);
      expect(lines).toBeLessThanOrEqual(40);
    },
  );

  test('cannot be changed', () => {
    expect(() => Object.assign(builtinAgents[0]?.soul ?? {}, { tone: 'x' })).toThrow(TypeError);
  });
});

describe('builtinTools', () => {
  test('contains tools of different keys, each with descriptions for the model', () => {
    expect(unique(builtinTools.map(({ key }) => key))).toBe(true);
    for (const { description, parameters } of builtinTools) {
      expect(description.length).toBeGreaterThan(40);
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  test('cannot be changed', () => {
    expect(() => Object.assign(builtinTools[0]?.parameters ?? {}, { type: 'x' })).toThrow(TypeError);
  });
});

describe('isToolKey', () => {
  test('knows the tools that run, those of the catalog, and the key of the tools of MCP servers', () => {
    expect(['time_now', 'agent_spawn', 'shell_run', 'mcp'].filter((key) => !isToolKey(key))).toEqual([]);
    expect(['nonsense', 'constructor', '', 'Time_now'].filter(isToolKey)).toEqual([]);
  });
});

describe('builtinPersonas', () => {
  test('contains one persona for each agent type', () => {
    expect(builtinPersonas.map(({ key }) => key)).toEqual(AGENT_TYPES.toSorted());
  });

  test.each(builtinPersonas.map((persona) => [persona.key, persona] as const))(
    'gives %s a tone, a prompt and known defaults',
    (_key, persona) => {
      expect(persona.soul).toMatchObject({ tone: expect.any(String), verbosity: expect.any(String) });
      expect(persona.systemPrompt.length).toBeGreaterThan(200);
      expect(persona.defaultTools.filter((key) => !isToolKey(key))).toEqual([]);
      expect(persona.defaultSkills.filter((key) => !skillKeys.has(key))).toEqual([]);
    },
  );
});

describe('modelFacts', () => {
  test('is known for the default model of a provider', () => {
    expect(modelFacts(findCatalogEntry('openai')?.defaultModel ?? '', 'openai').contextWindow).toBeGreaterThan(100_000);
  });

  test('is the smallest known one when the provider is not given', () => {
    const all = providerCatalog
      .map(({ key }) => modelFacts('gpt-oss-120b', key).contextWindow)
      .filter((window) => window !== undefined);
    expect(modelFacts('gpt-oss-120b').contextWindow).toBe(Math.min(...all));
  });

  test('is unknown when the model or the provider is', () => {
    expect([
      modelFacts('no-such-model').contextWindow,
      modelFacts('no-such-model', 'constructor').contextWindow,
    ]).toEqual([undefined, undefined]);
  });
});
