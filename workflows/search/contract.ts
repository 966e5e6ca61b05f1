/** The type of the workflow that enters new messages into the index of the search. */
export const ENTER_MESSAGES = 'enterMessages';

/** The workflow's id: messages are entered in the order of their ids, whoever they are of. */
export const ENTER_MESSAGES_ID = 'search-words';

/** What messages are new is in the rows. */
export type EnterMessagesInput = Readonly<Record<string, never>>;
