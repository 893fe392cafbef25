import type { EditorNode, StarterLook } from './starter-blocks.ts';

export interface StarterDesign {
  id: string;
  name: string;
  description: string;
  subject: string;
  /** For teams whose brand has no button colour. */
  accent: string;
  /** False for email that applications send, because contacts do not have its merge tags. */
  forCampaigns: boolean;
  make(look: StarterLook): EditorNode;
}
