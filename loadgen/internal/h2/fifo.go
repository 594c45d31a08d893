package h2

// fifo is a queue. Its zero value is empty and ready. Its storage is used
// again, so that one that has grown to what is needed allocates no more.
type fifo[T any] struct {
	items []T
	first int // index of the front; what is before it has been popped
}

func (q *fifo[T]) size() int { return len(q.items) - q.first }

// front returns the item that was pushed first; the queue must have one.
func (q *fifo[T]) front() T { return q.items[q.first] }

// all returns the items in order, valid until the queue changes.
func (q *fifo[T]) all() []T { return q.items[q.first:] }

// push appends an item. A full slice is first moved down over what was popped;
// only one that is at least half in use grows, so each item is moved once.
func (q *fifo[T]) push(item T) {
	if len(q.items) == cap(q.items) && q.first > len(q.items)/2 {
		n := copy(q.items, q.items[q.first:])
		clear(q.items[n:])
		q.items, q.first = q.items[:n], 0
	}
	q.items = append(q.items, item)
}

// pop removes the front.
func (q *fifo[T]) pop() {
	var none T
	q.items[q.first] = none
	q.first++
	if q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
}

// filter leaves only the items for which keep is true, in their order.
func (q *fifo[T]) filter(keep func(T) bool) {
	kept := q.items[:0]
	for _, item := range q.all() {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	clear(q.items[len(kept):])
	q.items, q.first = kept, 0
}

func (q *fifo[T]) clear() {
	clear(q.items)
	q.items, q.first = q.items[:0], 0
}
