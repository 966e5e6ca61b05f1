/** The prefix of an agent's model preference that names a profile. */
const PREFIX = 'profile:';

/** Returns the name of the profile that a preference for a model names; undefined when it names a model. */
export function profileNameOf(modelPref: string | null): string | undefined {
  return modelPref?.startsWith(PREFIX) === true ? modelPref.slice(PREFIX.length).trim() : undefined;
}
