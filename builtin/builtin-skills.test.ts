import { describe, expect, test } from '@jest/globals';
import { builtinTools, isToolKey, readShippedDefinitions } from './index.ts';

const skills = readShippedDefinitions().filter(({ kind }) => kind === 'skill');
const personas = readShippedDefinitions().filter(({ kind }) => kind === 'persona');
const textOf = ({ files }: { readonly files: ReadonlyMap<string, string> }) => files.get('SKILL.md') ?? '';

/** What skills name in the same way as tools: fields of answers and of records. */
const FIELDS = ['not_planned', 'per_page', 'pull_request', 'state_reason', 'system_prompt'];
const known = new Set([...FIELDS, ...builtinTools.flatMap(({ parameters }) => Object.keys(parameters.properties))]);

describe('the builtin skills', () => {
  test('are those that the specification names', () => {
    expect(skills.map(({ key }) => key).toSorted()).toEqual([
      'agent_spawn',
      'bash',
      'git',
      'github_read',
      'github_write',
      'gitlab_read',
      'gitlab_write',
      'platform_management',
      'read_file',
      'read_url',
      'schedule_manage',
      'summarize',
      'task_decompose',
      'web_search',
      'write_file',
    ]);
  });

  test.each(skills.map((skill) => [skill.key, skill] as const))(
    '%s leaves room for others in a prompt',
    (_key, skill) => {
      expect(textOf(skill).length).toBeGreaterThan(1_500);
      expect(textOf(skill).length).toBeLessThan(4_500);
      expect(skill.description.length).toBeLessThan(300);
      expect(skill.category).not.toBe('custom');
    },
  );

  test.each(skills.map((skill) => [skill.key, textOf(skill)] as const))(
    '%s names tools that there are, and says what to do without them',
    (_key, text) => {
      const named = [...text.matchAll(/`([a-z][a-z0-9]*_[a-z0-9_]*)`/g)].map(([, name]) => name ?? '');
      expect(named.filter((name) => !isToolKey(name) && !known.has(name))).toEqual([]);
      expect(text).toMatch(/among your tools|tools? (?:is|are) missing|where you have/i);
    },
  );
});

describe('the builtin personas', () => {
  test('are one for each agent type, and ten that other people want', () => {
    expect(personas).toHaveLength(16);
  });

  test.each(personas.map((persona) => [persona.key, persona] as const))(
    '%s has known defaults and a character',
    (_key, definition) => {
      const { persona } = definition;
      expect(persona?.systemPrompt.length).toBeGreaterThan(200);
      expect(persona?.soul).toMatchObject({ tone: expect.any(String), verbosity: expect.any(String) });
      expect(persona?.defaultTools.filter((key) => !isToolKey(key))).toEqual([]);
      const keys = new Set(skills.map(({ key }) => key));
      expect(persona?.defaultSkills.filter((key) => !keys.has(key))).toEqual([]);
    },
  );
});
