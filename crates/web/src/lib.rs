//! The explorer: what a game is made of, in the browser.
//!
//! [`serve`] answers on a listener. The page, its style and its script are embedded; every picture is
//! drawn here, as SVG. Long work runs as a job of its own that can be watched and stopped, so
//! that no page ever waits for it.

mod assets;
mod bodies;
mod bounds;
mod ending;
mod engine;
mod guard;
mod interpreted;
mod job;
mod load;
mod lock;
mod matches;
mod net_view;
mod parts;
mod picture;
mod position;
mod refusal;
mod regression;
mod report;
mod routes;
mod sight;
mod solving;
mod structure;
mod table;
mod tables;
mod workshop;

pub use bounds::ServeOptions;
pub use report::tour_html;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::workshop::Workshop;

/// Bodies of requests that are being received or worked on, all together, in bytes.
const MOST_BYTES_TOGETHER: usize = 32 << 20;
/// How often the limits are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Serves the explorer until `stop` is set.
pub fn serve(
    listener: TcpListener,
    options: ServeOptions,
    stop: &Arc<AtomicBool>,
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let workshop = Arc::new(Workshop::new(options));
    let routes = routes::routes(Arc::clone(&workshop), guard::Guard::new(address));
    let stop = Arc::clone(stop);
    let served = runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let until = async move {
            let mut held = 0.0;
            while !stop.load(Ordering::Relaxed) {
                workshop.look_around();
                workshop.give_back(&mut held);
                tokio::time::sleep(LOOK_EVERY).await;
            }
            workshop.stop_everything();
        };
        tokio::select! {
            served = axum::serve(listener, routes).into_future() => served,
            () = until => Ok(()),
        }
    });
    // Work that does not end at once is left behind, not waited for.
    runtime.shutdown_timeout(Duration::from_millis(300));
    served
}
