/** What the service answers, told by its own schemas. */
import type { z } from 'zod';
import type { labelList } from '../../../src/graph/graph.schemas.ts';
import type {
  administeredUser,
  auditEntry,
  createdToken,
  currentUser,
  grants,
  session,
  team,
  token,
  user,
} from '../../../src/identity/identity.schemas.ts';
import type { newsItem } from '../../../src/news/news.schemas.ts';
import type { integration, integrationTest } from '../../../src/platform/integrations/integrations.schemas.ts';
import type { integrationModel } from '../../../src/platform/integrations/models.schemas.ts';
import type {
  channelAnswer,
  channelTypeAnswer,
  deliveryAnswer,
} from '../../../src/platform/notifications/notifications.schemas.ts';
import type { service, serviceTypes } from '../../../src/platform/services/services.schemas.ts';
import type { instanceListItem } from '../../../src/workflows/workflows.schemas.ts';

export type Session = z.infer<typeof session>;
export type CurrentUser = z.infer<typeof currentUser>;
export type User = z.infer<typeof user>;
export type AdministeredUser = z.infer<typeof administeredUser>;
export type Token = z.infer<typeof token>;
export type CreatedToken = z.infer<typeof createdToken>;
export type Scope = CurrentUser['scopes'][number];
export type Team = z.infer<typeof team>;
export type Grant = z.infer<typeof grants>['grants'][number];
export type Role = Grant['role'];
export type AuditEntry = z.infer<typeof auditEntry>;
export type NewsItem = z.infer<typeof newsItem>;
export type Service = z.infer<typeof service>;
export type ServiceType = z.infer<typeof serviceTypes>[number];
export type Integration = z.infer<typeof integration>;
export type IntegrationTest = z.infer<typeof integrationTest>;
export type IntegrationModel = z.infer<typeof integrationModel>;
export type Channel = z.infer<typeof channelAnswer>;
export type ChannelTypes = z.infer<typeof channelTypeAnswer>;
export type Delivery = z.infer<typeof deliveryAnswer>;
export type WorkflowInstance = z.infer<typeof instanceListItem>;
export type Label = z.infer<typeof labelList>[number];
