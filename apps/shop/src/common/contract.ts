/** What the two services and the page say to each other, as JSON. Times are ISO 8601 in UTC. */

/** One position of an order: no goods stands in two lines. */
export interface OrderLine {
  readonly goodsId: string;
  /** 1 or more. */
  readonly quantity: number;
}

/** Body of `POST /orders`. */
export interface OrderRequest {
  readonly customer: string;
  readonly lines: readonly OrderLine[];
}

/** `pending` until the stock service is known to have deducted, or to never deduct. */
export type OrderStatus = 'pending' | 'confirmed' | 'failed';

/** Answer of `POST /orders` and `GET /orders/:id`. */
export interface Order extends OrderRequest {
  readonly id: string;
  readonly status: OrderStatus;
  /** Why it failed. */
  readonly reason?: string;
  /** Under which the stock service deducts, at most once. */
  readonly operationId: string;
  readonly createdAt: string;
  readonly settledAt?: string;
}

/** Answer of `GET /orders?limit=50`: counts of all orders, and the newest ones first. */
export interface OrderList {
  readonly total: number;
  readonly confirmed: number;
  readonly failed: number;
  readonly pending: number;
  readonly orders: readonly Order[];
}

/** An order was created, or its status changed. */
export interface OrderChange {
  readonly order: Order;
}

/** Body of `PUT /operations/:operationId`. */
export interface DeductionRequest {
  readonly lines: readonly OrderLine[];
}

/** How an operation ended; none of these ever becomes another. */
export type OperationState = 'deducted' | 'refused' | 'cancelled';

/** Answer of `PUT`, `GET` and `DELETE /operations/:operationId`. */
export interface Operation {
  readonly operationId: string;
  readonly state: OperationState;
  /** Why nothing was deducted. */
  readonly reason?: string;
  /** The flow rows that were written: one for each line when it is `deducted`, else none. */
  readonly flows: number;
}

/** One goods in `GET /stock`: amount and flows are of one snapshot. */
export interface StockRow {
  readonly goodsId: string;
  readonly start: number;
  readonly amount: number;
  /** Sum of its flows. */
  readonly sold: number;
}

/** One deduction. */
export interface Flow {
  /** In the order in which they were written. */
  readonly id: number;
  readonly operationId: string;
  readonly goodsId: string;
  readonly quantity: number;
  /** Fencing token of the lock on the goods: it grows from flow to flow of one goods. */
  readonly token: number;
  readonly at: string;
}

/** Answer of `GET /flows?limit=50`: the count of all flows, and the newest ones first. */
export interface FlowList {
  readonly total: number;
  readonly flows: readonly Flow[];
}

/** Answer of `GET /books?limit=50`: stock and flows of one snapshot. */
export interface StockBooks extends FlowList {
  readonly stock: readonly StockRow[];
}

/** Answer of `GET /balance`, of one snapshot. */
export interface Balance {
  /** Whether start − sold is the amount, of every goods, and none is below zero. */
  readonly holds: boolean;
  readonly goods: readonly StockRow[];
}

/** Answer of `GET /health` of both services: 200 when everything is up, else 503. */
export interface Health {
  readonly status: 'up' | 'down';
  readonly parts: Readonly<Record<string, 'up' | 'down'>>;
}

/** Body of every 400. */
export interface Refusal {
  readonly statusCode: 400;
  readonly error: 'Bad Request';
  /** What is wrong: `customer`, `lines[2].quantity`. */
  readonly field: string;
  readonly message: string;
}
