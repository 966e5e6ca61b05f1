import { PERSONAS, SKILLS, TOOLS } from './family.ts';
import { fileRoutes } from './file-routes.ts';
import { recordRoutes } from './record-routes.ts';

export const definitionRoutes = [
  ...recordRoutes(TOOLS),
  ...fileRoutes(TOOLS),
  ...recordRoutes(SKILLS),
  ...fileRoutes(SKILLS),
  ...recordRoutes(PERSONAS),
];
