import { completionForm } from './completion-form.ts';
import { contentForm } from './content-form.ts';
import { converseForm } from './converse-form.ts';
import { messageForm } from './message-form.ts';
import type { ScriptedForm } from './provider-script.ts';

export { type ProviderScript, type ScriptedForm, TOKENS } from './provider-script.ts';

/** The scripted form of each wire format, by the catalog's word for it. */
export const scriptedForms: Readonly<Record<string, ScriptedForm>> = {
  anthropic: messageForm,
  bedrock: converseForm,
  gemini: contentForm,
  openai_compat: completionForm,
};
