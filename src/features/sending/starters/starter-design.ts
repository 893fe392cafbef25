import type { EditorNode, StarterLook } from './starter-blocks.ts';

export interface StarterDesign {
  id: string;
  name: string;
  description: string;
  subject: string;
  /** For teams whose brand has no colour of buttons. */
  accent: string;
  /** False for mail that programs send, whose merge tags no contact has. */
  forCampaigns: boolean;
  make(look: StarterLook): EditorNode;
}
