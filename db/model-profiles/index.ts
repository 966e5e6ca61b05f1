export { ModelProfile } from './model-profile.entity.ts';
export {
  createModelProfile,
  deleteModelProfile,
  getModelProfile,
  hasModelProfile,
  inLowerCase,
  listModelProfiles,
  listModelTags,
  lockModelProfile,
  type ModelProfileFields,
  resolveModelProfile,
  updateModelProfile,
} from './model-profiles.ts';
export { PROFILE_OF_CHAT, type TurnProfile } from './for-turn.ts';
