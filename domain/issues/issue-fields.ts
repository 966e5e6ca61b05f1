import { z } from 'zod';
import { nameText, text } from '../core/text.ts';
import { DEFAULT_PRIORITY } from '../priorities/index.ts';
import { MAX_ISSUE_TEXT_CHARACTERS, MAX_LABEL_CHARACTERS, MAX_LABELS, MAX_TITLE_CHARACTERS } from './issue.ts';

// Functions, so that the console does not load the library of schemas for the statuses of an issue.

/** Makes a schema for an issue's title. */
export const issueTitle = () => nameText(MAX_TITLE_CHARACTERS);

/** Makes a schema for what is to be done, as Markdown. */
export const issueText = () => text(MAX_ISSUE_TEXT_CHARACTERS);

/** Makes a schema for all labels of an issue; each counts once. */
export const issueLabels = () =>
  z
    .array(nameText(MAX_LABEL_CHARACTERS))
    .max(MAX_LABELS)
    .transform((labels) => [...new Set(labels)]);

/** Makes a schema for what somebody says about an issue. */
export const commentText = () => issueText().refine((content) => content.trim() !== '', 'must not be empty');

/** The fields of a new issue that nobody sets. */
export const ISSUE_DEFAULTS = {
  description: '',
  priority: DEFAULT_PRIORITY,
  labels: [] as string[],
  assignedAgentId: null,
  assignedUserId: null,
};
