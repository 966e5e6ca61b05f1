/** Describes a call whose effect is unknown. */
export const MAY_HAVE_TAKEN_EFFECT = 'may or may not have taken effect';

/** The result of a call that may change something and was stopped while it ran. */
export const STOPPED_WHILE_IT_RAN = `The call was stopped while it ran. It ${MAY_HAVE_TAKEN_EFFECT}.`;

/** The result of a call that changes nothing and was stopped. */
export const STOPPED = 'The call was stopped before it had a result.';
