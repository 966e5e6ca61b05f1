/** How keys begin that say whose they are, with the provider in the catalog. */
const BEGINNINGS = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['sk-svcacct-', 'openai'],
  ['AIza', 'google'],
  ['xai-', 'xai'],
  ['gsk_', 'groq'],
  ['csk-', 'cerebras'],
  ['pplx-', 'perplexity'],
  ['nvapi-', 'nvidia'],
  ['hf_', 'huggingface'],
  ['fw_', 'fireworks-ai'],
  ['tgp_', 'togetherai'],
] as const;

/** Stands in the middle of each older key of OpenAI, whose beginning many providers have taken over. */
const OF_OPENAI = 'T3BlbkFJ';

/** Returns the provider in the catalog that a key is of; undefined when the key does not say. */
export function providerOfKey(key: string): string | undefined {
  if (key.startsWith('sk-') && key.includes(OF_OPENAI)) return 'openai';
  return BEGINNINGS.find(([beginning]) => key.startsWith(beginning))?.[1];
}
