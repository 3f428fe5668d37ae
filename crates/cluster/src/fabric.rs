//! The roads between workers, by timely dataflow: an input whose blocks go to the worker they are addressed to, and
//! a probe that tells when all of a round have come in everywhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gambol_solve::layers::{Block, Exchange};
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::dataflow::operators::{Operator, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

use crate::watcher::Watcher;

/// A worker that waits looks around so often.
const GLANCE: Duration = Duration::from_micros(200);
/// After so long without any progress somebody should know.
const SILENCE: Duration = Duration::from_secs(30);

/// A block as timely carries it.
#[derive(Clone, Default)]
struct Parcel(Block);

/// Words before the body: to, from, kind, tag, length, and one that keeps the body aligned.
const HEAD: usize = 24;

impl Accountable for Parcel {
    // Blocks have a kind; what timely makes by default has none and does not count.
    fn record_count(&self) -> i64 {
        i64::from(self.0.kind != 0)
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        let (words, _) = bytes[..HEAD].as_chunks::<4>();
        let word = |place: usize| u32::from_le_bytes(words[place]);
        let body = bytes[HEAD..HEAD + word(4) as usize].to_vec();
        Self(Block { to: word(0), from: word(1), kind: word(2), tag: word(3), body })
    }

    fn length_in_bytes(&self) -> usize {
        HEAD + self.0.body.len().next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let Block { to, from, kind, tag, body } = &self.0;
        let mut bytes = Vec::with_capacity(self.length_in_bytes());
        for word in [*to, *from, *kind, *tag, body.len() as u32, 0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(body);
        bytes.resize(self.length_in_bytes(), 0);
        // Timely writes into memory that it has measured with `length_in_bytes`.
        writer.write_all(&bytes).expect("memory that was measured has room");
    }
}

struct ByAddress;

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        roads: &mut [P],
    ) {
        let to = parcel.0.to as usize;
        Message::push_at(parcel, time.clone(), &mut roads[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &T, _: &mut [P]) {}
}

/// Blocks that have come in, by round. A worker that is ahead sends blocks of rounds that others have not yet come
/// to; those wait here for their round.
#[derive(Default)]
struct Arrived {
    rounds: BTreeMap<u64, VecDeque<Block>>,
    /// How many have come in so far.
    count: u64,
}

impl Arrived {
    fn add(&mut self, round: u64, block: Block) {
        self.rounds.entry(round).or_default().push_back(block);
        self.count += 1;
    }

    /// The next block of a round before this one.
    fn take_before(&mut self, round: u64) -> Option<Block> {
        let mut first = self.rounds.first_entry().filter(|first| *first.key() < round)?;
        let block = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        block
    }
}

/// The roads of one worker.
pub(crate) struct Fabric<'a> {
    worker: &'a mut Worker,
    input: InputHandle<u64, NoopBuilder<Parcel>>,
    probe: ProbeHandle<u64>,
    arrived: Rc<RefCell<Arrived>>,
    silent: Arc<dyn Watcher>,
}

impl<'a> Fabric<'a> {
    /// Builds the dataflow. `silent` hears of it if nothing has come in for long.
    pub(crate) fn new(worker: &'a mut Worker, silent: Arc<dyn Watcher>) -> Self {
        let arrived: Rc<RefCell<Arrived>> = Rc::default();
        let mut input: InputHandle<u64, NoopBuilder<Parcel>> = InputHandle::new_with_builder();
        let probe = ProbeHandle::new();
        let arrivals = arrived.clone();
        worker.dataflow(|scope| {
            let roads = DistributorPact(|_| ByAddress);
            let stream = input.to_stream(scope);
            let arrive =
                stream.unary::<NoopBuilder<Parcel>, _, _, _>(roads, "arrive", move |_, _| {
                    move |input, _| {
                        input.for_each(|time, parcel: &mut Parcel| {
                            let block = std::mem::take(&mut parcel.0);
                            if block.kind != 0 {
                                arrivals.borrow_mut().add(*time.time(), block);
                            }
                        });
                    }
                });
            arrive.probe_with(&probe);
        });
        Self { worker, input, probe, arrived, silent }
    }
}

impl Exchange for Fabric<'_> {
    fn index(&self) -> usize {
        self.worker.index()
    }

    fn peers(&self) -> usize {
        self.worker.peers()
    }

    fn send(&mut self, block: Block) {
        self.input.send_batch(&mut Parcel(block));
    }

    fn round(&mut self, lag: u64) {
        let next = self.input.time() + 1;
        self.input.advance_to(next);
        self.worker.step();
        let (mut since, mut seen) = (Instant::now(), self.arrived.borrow().count);
        let mut told = 0;
        while next > lag && self.probe.less_than(&(next - lag)) {
            self.worker.step_or_park(Some(GLANCE));
            let now = self.arrived.borrow().count;
            if now != seen {
                (since, seen, told) = (Instant::now(), now, 0);
            } else if since.elapsed() >= SILENCE * (told + 1) {
                told += 1;
                self.silent.silence(SILENCE * told);
            }
        }
    }

    fn receive(&mut self) -> Option<Block> {
        self.arrived.borrow_mut().take_before(*self.input.time())
    }
}
