export {
  forgetNamespace,
  type Installation,
  noteNamespace,
  readInstallation,
  readNotedNamespace,
} from './installation.ts';
