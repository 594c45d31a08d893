package driver

import (
	"context"
	"path/filepath"
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
)

// lockEvery is how often is looked whether the host has become free.
const lockEvery = 5 * time.Second

// takeLock takes the host, at once or when it can be had, and says what the lock does
// not do. Who waits is told when another has it, and another owner again.
func (d *driver) takeLock(ctx context.Context, tasks []task) error {
	if d.rig.coverage != "" {
		d.around.Observer.say(d.rig.coverage)
	}
	var err error
	if d.order.Wait {
		hashes := d.planHashes(tasks)
		told := ""
		d.lock, err = session.Wait(ctx, d.rig.place, d.rig.owner, d.rig.wall, lockEvery, func(busy *session.BusyError) error {
			for _, hash := range hashes {
				if busy.Measures(hash) { // a second copy has nothing to wait for
					return busy
				}
			}
			if who := ownerOf(busy); who != told {
				told = who
				d.around.Observer.say("waiting: " + busy.Error())
			}
			return nil
		})
	} else {
		d.lock, err = session.Acquire(d.rig.place, d.rig.owner, d.rig.wall)
	}
	if err != nil {
		return err
	}
	if d.rig.coverage == "" { // else that names it
		d.around.Observer.say("the host's lock is " + d.rig.place.Path)
	}
	for _, note := range d.lock.Notes {
		d.around.Observer.say(note)
	}
	return nil
}

// ownerOf names an owner, whatever it is at.
func ownerOf(busy *session.BusyError) string {
	if busy.Owner == nil {
		return "?"
	}
	return busy.Owner.Since.String() + busy.Owner.Session
}

// planHashes are the plans that the order is about to measure, as far as they can be
// made now.
func (d *driver) planHashes(tasks []task) []string {
	var hashes []string
	name := d.rig.facts().Name
	for _, t := range tasks {
		if plan, err := planOf(t.suite, d.order, name); err == nil {
			hashes = append(hashes, plan.ComputeHash())
		}
	}
	return hashes
}

// tell tells others what goes on, for as much as can be told. That it cannot is said
// once: the lock holds without.
func (s *sitting) tell() {
	state := s.session.State()
	progress := session.ProgressOf(s.session.Plan, &state)
	progress.Left += s.ratesTake()
	doing := session.Doing{Session: s.session.Plan.Session, SessionDir: absolute(s.session.SessionDir()), PlanHash: s.session.Plan.Hash, Progress: progress}
	if err := s.lock.Tell(doing); err != nil && !s.untold {
		s.untold = true
		s.observer().say("what goes on is not told to others: " + err.Error())
	}
}

// absolute is a path that others can follow, as far as that can be said.
func absolute(path string) string {
	if from, err := filepath.Abs(path); err == nil {
		return from
	}
	return path
}
