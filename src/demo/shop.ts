/**
 * What the example shop consists of, from what it sells down to what stores it:
 *
 *   Website ─▶ Offer ─▶ Application ─▶ Api ─▶ Database
 *                                       └───▶ Pool ─▶ Server ─▶ Rack ─▶ Datacenter
 *
 * Read "─▶" as "depends on".
 */

/** What each country sells; a name may have slashes. */
export const websites: Record<string, readonly string[]> = {
  'lumen.example/de': ['Catalogue', 'Search', 'Checkout', 'Express delivery', 'Click and collect', 'Customer account', 'Reviews', 'Marketplace'], // biome-ignore format: one line a website
  'lumen.example/fr': ['Catalogue', 'Search', 'Checkout', 'Click and collect', 'Gift cards', 'Customer account', 'Returns'], // biome-ignore format: one line a website
  'lumen.example/pl': ['Catalogue', 'Search', 'Checkout', 'Customer account', 'Newsletter'],
  'lumen.example/es': ['Catalogue', 'Search', 'Checkout', 'Express delivery', 'Wish lists'],
  'business.lumen.example': ['Catalogue', 'Business accounts', 'Light planner', 'Returns'],
  'ideas.lumen.example': ['Light planner', 'Wish lists', 'Newsletter', 'Reviews'],
};

/** Offer → application → the interfaces that the application calls. */
export const offers: Record<string, Record<string, readonly string[]>> = {
  Catalogue: {
    'catalogue-web': ['catalogue', 'images', 'stock', 'pricing'],
    'catalogue-editor': ['catalogue', 'images', 'translations'],
    'image-studio': ['images', 'documents'],
  },
  Search: {
    'search-web': ['search', 'suggestions', 'pricing'],
    'search-indexer': ['search', 'catalogue', 'stock'],
    recommender: ['recommendations', 'segments', 'experiments'],
  },
  Checkout: {
    'checkout-web': ['orders', 'pricing', 'promotions', 'addresses', 'tax'],
    basket: ['stock', 'pricing', 'sessions', 'currency'],
    'fraud-desk': ['fraud', 'orders', 'customers'],
    'order-mailer': ['orders', 'mail', 'invoices'],
  },
  'Express delivery': {
    'courier-booking': ['carriers', 'orders', 'geo'],
    'delivery-tracker': ['tracking', 'sms', 'push'],
    'slot-picker': ['calendar', 'carriers', 'warehouse'],
  },
  'Click and collect': {
    'pickup-planner': ['pickup', 'stores', 'calendar'],
    'store-tablet': ['pickup', 'orders', 'barcode'],
    'store-finder': ['stores', 'geo', 'translations'],
  },
  'Gift cards': {
    'giftcard-shop': ['giftcards', 'vouchers', 'documents'],
    'giftcard-balance': ['giftcards', 'customers'],
  },
  Returns: {
    'returns-portal': ['returns', 'orders', 'carriers'],
    'refund-desk': ['refunds', 'returns', 'payouts'],
    'returns-scanner': ['returns', 'barcode', 'warehouse'],
  },
  'Customer account': {
    'account-web': ['customers', 'addresses', 'consent'],
    'order-history': ['orders', 'invoices', 'tracking'],
    'support-chat': ['chat', 'customers', 'translations'],
  },
  'Wish lists': {
    'wishlist-web': ['wishlists', 'catalogue', 'pricing'],
    'wishlist-reminder': ['wishlists', 'mail', 'push'],
  },
  Reviews: {
    'review-wall': ['reviews', 'ratings', 'images'],
    'review-moderation': ['moderation', 'reviews', 'translations'],
  },
  Newsletter: {
    'newsletter-composer': ['newsletter', 'mail', 'segments'],
    'campaign-board': ['newsletter', 'analytics', 'experiments'],
    'flash-sale': ['catalogue', 'sessions', 'currency'],
  },
  'Light planner': {
    'planner-web': ['planner', 'rooms', 'images'],
    'planner-render': ['rooms', 'documents', 'catalogue'],
  },
  'Business accounts': {
    'company-portal': ['companies', 'quotes', 'invoices'],
    'quote-builder': ['quotes', 'pricing', 'tax', 'documents'],
    'volume-discounts': ['companies', 'promotions', 'pricing'],
  },
  Marketplace: {
    'seller-portal': ['sellers', 'listings', 'payouts'],
    'listing-importer': ['listings', 'catalogue', 'images'],
    'seller-ratings': ['sellers', 'ratings', 'moderation'],
  },
};

/** Hubs: every application calls these. */
export const calledByAll = ['identity', 'flags'] as const;

/** Database → the interfaces that keep their data in it. */
export const databases: Record<string, readonly string[]> = {
  'orders-db': ['orders', 'invoices', 'returns'],
  'payments-db': ['payments-v1', 'payments-v2', 'refunds', 'payouts', 'fraud'],
  'customers-db': ['customers', 'addresses', 'consent'],
  'identity-db': ['identity'],
  'sessions-db': ['sessions'],
  'catalogue-db': ['catalogue', 'translations', 'ratings'],
  'pricing-db': ['pricing', 'promotions', 'tax', 'currency', 'vouchers', 'giftcards'],
  'search-index': ['search', 'suggestions', 'recommendations'],
  'stock-db': ['stock', 'warehouse', 'barcode'],
  'shipping-db': ['carriers', 'tracking', 'geo', 'calendar'],
  'stores-db': ['stores', 'pickup'],
  'media-db': ['images', 'documents'],
  'community-db': ['reviews', 'moderation', 'wishlists'],
  'marketing-db': ['newsletter', 'segments', 'mail', 'sms', 'push'],
  'planner-db': ['planner', 'rooms'],
  'business-db': ['companies', 'quotes'],
  'sellers-db': ['sellers', 'listings'],
  'events-db': ['analytics', 'experiments', 'flags', 'chat'],
};

/** An interface → those that it calls itself. The first three go round in a circle: nobody planned it, as always. */
export const calls: Record<string, readonly string[]> = {
  orders: ['pricing', 'stock'],
  pricing: ['promotions', 'currency'],
  promotions: ['orders', 'segments'],
  invoices: ['orders', 'tax'],
  refunds: ['orders'],
  tracking: ['carriers'],
  recommendations: ['catalogue'],
};

export const datacenters = ['par1', 'fra1', 'waw1'] as const;
export const racksPerDatacenter = 8;
